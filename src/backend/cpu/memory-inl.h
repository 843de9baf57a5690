// Float blocks from and to memory of 16 and 32 bits. Compiled once for each instruction set.
#if defined(TILEOPS_MEMORY_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TILEOPS_MEMORY_INL
#undef TILEOPS_MEMORY_INL
#else
#define TILEOPS_MEMORY_INL
#endif

#include <hwy/highway.h>

#include <cstddef>
#include <cstring>

#include "tileops/dtype.h"

HWY_BEFORE_NAMESPACE();
namespace tileops::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::ScalableTag<float>;
using V = hn::Vec<Floats>;

HWY_INLINE V load_bfloat16s(const std::uint16_t* from) {
  const Floats d;
  const hn::RebindToUnsigned<Floats> du;
  const hn::Rebind<std::uint16_t, Floats> dh;
  return hn::BitCast(d, hn::ShiftLeft<16>(hn::PromoteTo(du, hn::LoadU(dh, from))));
}

HWY_INLINE V load_float16s(const std::uint16_t* from) {
  const Floats d;
  const hn::Rebind<hwy::float16_t, Floats> dh;
  return hn::PromoteTo(d, hn::LoadU(dh, reinterpret_cast<const hwy::float16_t*>(from)));
}

/// To nearest even. (Highway's own conversion truncates before version 1.1.)
HWY_INLINE auto round_to_bfloat16s(V value) {
  const hn::RebindToUnsigned<Floats> du;
  const hn::RebindToSigned<Floats> di;
  const hn::Rebind<std::uint16_t, Floats> dh;
  auto bits = hn::BitCast(du, value);
  auto odd = hn::And(hn::ShiftRight<16>(bits), hn::Set(du, 1));
  auto rounded = hn::Add(bits, hn::Add(odd, hn::Set(du, 0x7FFF)));
  auto quiet = hn::Or(bits, hn::Set(du, 0x400000));
  auto is_nan = hn::RebindMask(du, hn::IsNaN(value));
  auto high = hn::ShiftRight<16>(hn::IfThenElse(is_nan, quiet, rounded));
  return hn::DemoteTo(dh, hn::BitCast(di, high));
}

HWY_INLINE auto round_to_float16s(V value) {
  const hn::Rebind<hwy::float16_t, Floats> dh;
  return hn::DemoteTo(dh, value);
}

/// `count` elements with a gap of `step` elements; what is beyond them in the last vector is zero.
inline void load_block(DType dtype, const void* from, std::int64_t step, std::size_t count,
                       float* HWY_RESTRICT to) {
  const Floats d;
  const std::size_t lanes = hn::Lanes(d);
  const std::size_t element = dtype == DType::kFloat32 ? 4 : 2;
  std::uint16_t narrow[64];
  float wide[64];
  for (std::size_t i = 0; i < count; i += lanes) {
    const std::size_t n = HWY_MIN(lanes, count - i);
    const auto* at = static_cast<const char*>(from) +
                     static_cast<std::int64_t>(i * element) * step;
    if (step != 1 || n < lanes) {  // gather into a vector's worth of memory
      std::memset(narrow, 0, sizeof narrow);
      std::memset(wide, 0, sizeof wide);
      auto* gathered = element == 4 ? reinterpret_cast<char*>(wide) : reinterpret_cast<char*>(narrow);
      for (std::size_t j = 0; j < n; ++j) {
        std::memcpy(gathered + j * element, at + static_cast<std::int64_t>(j * element) * step,
                    element);
      }
      at = gathered;
    }
    if (dtype == DType::kBFloat16) {
      hn::Store(load_bfloat16s(reinterpret_cast<const std::uint16_t*>(at)), d, to + i);
    } else if (dtype == DType::kFloat16) {
      hn::Store(load_float16s(reinterpret_cast<const std::uint16_t*>(at)), d, to + i);
    } else {
      hn::Store(hn::LoadU(d, reinterpret_cast<const float*>(at)), d, to + i);
    }
  }
}

/// One vector to memory, whole.
template <bool kStream>
HWY_INLINE void store_vector(DType dtype, V value, void* to) {
  const Floats d;
  const hn::Rebind<std::uint16_t, Floats> dh;
  if (dtype == DType::kBFloat16) {
    auto bits = round_to_bfloat16s(value);
    if (kStream) {
      hn::Stream(bits, dh, static_cast<std::uint16_t*>(to));
    } else {
      hn::StoreU(bits, dh, static_cast<std::uint16_t*>(to));
    }
  } else if (dtype == DType::kFloat16) {
    auto half = hn::BitCast(dh, round_to_float16s(value));
    if (kStream) {
      hn::Stream(half, dh, static_cast<std::uint16_t*>(to));
    } else {
      hn::StoreU(half, dh, static_cast<std::uint16_t*>(to));
    }
  } else if (kStream) {
    hn::Stream(value, d, static_cast<float*>(to));
  } else {
    hn::StoreU(value, d, static_cast<float*>(to));
  }
}

inline void store_block(DType dtype, const float* HWY_RESTRICT from, void* to, std::int64_t step,
                        std::size_t count, bool stream) {
  const Floats d;
  const std::size_t lanes = hn::Lanes(d);
  const std::size_t element = dtype == DType::kFloat32 ? 4 : 2;
  auto* out = static_cast<char*>(to);
  const bool aligned = reinterpret_cast<std::uintptr_t>(to) % (lanes * element) == 0;
  std::size_t i = 0;
  if (step == 1 && stream && aligned) {
    for (; i + lanes <= count; i += lanes) {
      store_vector<true>(dtype, hn::Load(d, from + i), out + i * element);
    }
  } else if (step == 1) {
    for (; i + lanes <= count; i += lanes) {
      store_vector<false>(dtype, hn::Load(d, from + i), out + i * element);
    }
  }
  float scratch[64];
  for (; i < count; i += lanes) {
    const std::size_t n = HWY_MIN(lanes, count - i);
    store_vector<false>(dtype, hn::Load(d, from + i), scratch);
    for (std::size_t j = 0; j < n; ++j) {
      std::memcpy(out + static_cast<std::int64_t>((i + j) * element) * step,
                  reinterpret_cast<const char*>(scratch) + j * element, element);
    }
  }
}

}  // namespace tileops::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // TILEOPS_MEMORY_INL
