// Float blocks from and to memory of 16 and 32 bits. Compiled once for each instruction set.
#if defined(TILEOPS_MEMORY_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TILEOPS_MEMORY_INL
#undef TILEOPS_MEMORY_INL
#else
#define TILEOPS_MEMORY_INL
#endif

#include <hwy/cache_control.h>
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
  const Floats d;
  auto bits = hn::BitCast(du, value);
  auto odd = hn::And(hn::ShiftRight<16>(bits), hn::Set(du, 1));
  auto rounded = hn::Add(bits, hn::Add(odd, hn::Set(du, 0x7FFF)));
  auto is_nan = hn::IsNaN(value);
  if (HWY_UNLIKELY(!hn::AllFalse(d, is_nan))) {
    auto quiet = hn::Or(bits, hn::Set(du, 0x400000));
    rounded = hn::IfThenElse(hn::RebindMask(du, is_nan), quiet, rounded);
  }
  auto high = hn::ShiftRight<16>(rounded);
  return hn::DemoteTo(dh, hn::BitCast(di, high));
}

/// To nearest even. Highway's own conversion truncates on machines without an instruction for it.
HWY_INLINE auto round_to_float16s(V value) {
  const Floats d;
  const hn::Rebind<std::uint16_t, Floats> dh;
#if HWY_TARGET <= HWY_AVX2
  const hn::Rebind<hwy::float16_t, Floats> df;
  static_cast<void>(d);
  return hn::BitCast(dh, hn::DemoteTo(df, value));
#else
  const hn::RebindToSigned<Floats> di;
  const auto bits = hn::BitCast(di, value);
  const auto magnitude = hn::And(bits, hn::Set(di, 0x7FFFFFFF));
  const auto odd = hn::And(hn::ShiftRight<13>(magnitude), hn::Set(di, 1));
  // The difference of the biases, and half of the last bit that stays.
  auto half = hn::ShiftRight<13>(
      hn::Add(hn::Sub(magnitude, hn::Set(di, 0x38000000)), hn::Add(odd, hn::Set(di, 0xFFF))));
  // Below 2^-14, adding 1/2 rounds at the last bit of the subnormals.
  const auto small = hn::Sub(hn::BitCast(di, hn::Add(hn::BitCast(d, magnitude), hn::Set(d, 0.5F))),
                             hn::Set(di, 0x3F000000));
  half = hn::IfThenElse(hn::Lt(magnitude, hn::Set(di, 0x38800000)), small, half);
  half = hn::IfThenElse(hn::Gt(magnitude, hn::Set(di, 0x477FEFFF)), hn::Set(di, 0x7C00), half);
  half = hn::IfThenElse(hn::Gt(magnitude, hn::Set(di, 0x7F800000)), hn::Set(di, 0x7E00), half);
  const auto sign = hn::And(hn::ShiftRight<16>(bits), hn::Set(di, 0x8000));
  return hn::DemoteTo(dh, hn::Or(half, sign));
#endif
}

/// How far ahead lines are asked for: the machine's own prefetcher stalls where blocks alternate
/// between streams (docs/kernels/derived_cpu.md).
constexpr std::uintptr_t kPrefetchBytes = 8192;

/// As a number: the line may lie behind the array, where a prefetch is harmless.
HWY_INLINE void prefetch_after(const char* at, std::uintptr_t ahead = kPrefetchBytes) {
  const auto place = reinterpret_cast<std::uintptr_t>(at) + ahead;
  hwy::Prefetch(reinterpret_cast<const char*>(place));  // NOLINT(performance-no-int-to-ptr)
}

/// One vector from memory.
template <DType kDType>
HWY_INLINE V load_vector(const void* from) {
  if constexpr (kDType == DType::kBFloat16) {
    return load_bfloat16s(static_cast<const std::uint16_t*>(from));
  } else if constexpr (kDType == DType::kFloat16) {
    return load_float16s(static_cast<const std::uint16_t*>(from));
  } else {
    const Floats d;
    return hn::LoadU(d, static_cast<const float*>(from));
  }
}

template <DType kDType>
HWY_INLINE constexpr std::int64_t element_bytes() {
  return kDType == DType::kFloat32 ? 4 : 2;
}

/// Elements that do not fill a vector, or do not lie side by side; the rest of the vector is zero.
template <DType kDType>
HWY_NOINLINE V gather_vector(const char* from, std::int64_t step, std::size_t count) {
  HWY_ALIGN char gathered[256] = {};
  for (std::size_t j = 0; j < count; ++j) {
    std::memcpy(gathered + static_cast<std::int64_t>(j) * element_bytes<kDType>(),
                from + static_cast<std::int64_t>(j) * element_bytes<kDType>() * step,
                static_cast<std::size_t>(element_bytes<kDType>()));
  }
  return load_vector<kDType>(gathered);
}

template <DType kDType>
HWY_INLINE void load_elements(const char* from,
                              std::int64_t step,
                              std::size_t count,
                              float* HWY_RESTRICT to) {
  const Floats d;
  const std::size_t lanes = hn::Lanes(d);
  std::size_t i = 0;
  if (step == 0) {
    const V all = hn::Set(d, hn::GetLane(gather_vector<kDType>(from, 1, 1)));
    for (; i < count; i += lanes) hn::Store(all, d, to + i);
  }
  if (step == 1) {
    for (; i + lanes <= count; i += lanes) {
      const char* at = from + static_cast<std::int64_t>(i) * element_bytes<kDType>();
      prefetch_after(at);
      hn::Store(load_vector<kDType>(at), d, to + i);
    }
  }
  for (; i < count; i += lanes) {
    const char* at = from + static_cast<std::int64_t>(i) * element_bytes<kDType>() * step;
    hn::Store(gather_vector<kDType>(at, step, HWY_MIN(lanes, count - i)), d, to + i);
  }
}

/// `count` elements with a gap of `step` elements; what is beyond them in the last vector is zero.
inline void load_block(
    DType dtype, const void* from, std::int64_t step, std::size_t count, float* HWY_RESTRICT to) {
  const auto* at = static_cast<const char*>(from);
  switch (dtype) {
    case DType::kBFloat16:
      return load_elements<DType::kBFloat16>(at, step, count, to);
    case DType::kFloat16:
      return load_elements<DType::kFloat16>(at, step, count, to);
    default:
      return load_elements<DType::kFloat32>(at, step, count, to);
  }
}

/// One vector to memory, whole; kStream: around the caches, to an aligned place.
template <DType kDType, bool kStream>
HWY_INLINE void store_vector(V value, void* to) {
  const Floats d;
  const hn::Rebind<std::uint16_t, Floats> dh;
  auto put = [](auto vector, auto tag, auto* at) HWY_ATTR {
    if constexpr (kStream) {
      hn::Stream(vector, tag, at);
    } else {
      hn::StoreU(vector, tag, at);
    }
  };
  if constexpr (kDType == DType::kBFloat16) {
    put(round_to_bfloat16s(value), dh, static_cast<std::uint16_t*>(to));
  } else if constexpr (kDType == DType::kFloat16) {
    put(round_to_float16s(value), dh, static_cast<std::uint16_t*>(to));
  } else {
    put(value, d, static_cast<float*>(to));
  }
}

template <DType kDType>
HWY_INLINE void store_elements(
    const float* HWY_RESTRICT from, char* to, std::int64_t step, std::size_t count, bool stream) {
  const Floats d;
  const std::size_t lanes = hn::Lanes(d);
  constexpr std::int64_t kBytes = element_bytes<kDType>();
  const auto vector_bytes = static_cast<std::uintptr_t>(kBytes) * lanes;
  const bool aligned = reinterpret_cast<std::uintptr_t>(to) % vector_bytes == 0;
  std::size_t i = 0;
  if (step == 1 && stream && aligned) {
    for (; i + lanes <= count; i += lanes) {
      store_vector<kDType, true>(hn::Load(d, from + i), to + static_cast<std::int64_t>(i) * kBytes);
    }
  } else if (step == 1) {
    for (; i + lanes <= count; i += lanes) {
      store_vector<kDType, false>(hn::Load(d, from + i),
                                  to + static_cast<std::int64_t>(i) * kBytes);
    }
  }
  HWY_ALIGN char scattered[256];
  for (; i < count; i += lanes) {
    store_vector<kDType, false>(hn::Load(d, from + i), scattered);
    for (std::size_t j = 0; j < HWY_MIN(lanes, count - i); ++j) {
      std::memcpy(to + static_cast<std::int64_t>(i + j) * kBytes * step,
                  scattered + static_cast<std::int64_t>(j) * kBytes,
                  static_cast<std::size_t>(kBytes));
    }
  }
}

inline void store_block(DType dtype,
                        const float* HWY_RESTRICT from,
                        void* to,
                        std::int64_t step,
                        std::size_t count,
                        bool stream) {
  auto* at = static_cast<char*>(to);
  switch (dtype) {
    case DType::kBFloat16:
      return store_elements<DType::kBFloat16>(from, at, step, count, stream);
    case DType::kFloat16:
      return store_elements<DType::kFloat16>(from, at, step, count, stream);
    default:
      return store_elements<DType::kFloat32>(from, at, step, count, stream);
  }
}

}  // namespace tileops::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // TILEOPS_MEMORY_INL
