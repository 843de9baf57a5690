// Instructions that read an argument, or write their result, where it lies in memory: the block
// passes the first-level cache once less. Compiled once for each instruction set.
#if defined(TILEOPS_IN_MEMORY_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TILEOPS_IN_MEMORY_INL
#undef TILEOPS_IN_MEMORY_INL
#else
#define TILEOPS_IN_MEMORY_INL
#endif

#include <hwy/highway.h>

#include "backend/cpu/memory-inl.h"
#include "spec/ast.h"

HWY_BEFORE_NAMESPACE();
namespace tileops::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using spec::Op;

// Where an instruction's argument may be, and where its result may go, for whole vectors.
struct FromBlock {
  const float* block;
  HWY_INLINE V at(std::size_t i) const {
    const Floats d;
    return hn::Load(d, block + i);
  }
};
struct FromNumber {
  float number;
  HWY_INLINE V at(std::size_t) const {
    const Floats d;
    return hn::Set(d, number);
  }
};
template <DType kDType>
struct FromMemory {
  const char* memory;
  std::uintptr_t ahead;  ///< bytes: which line is asked for meanwhile
  HWY_INLINE V at(std::size_t i) const {
    const char* from = memory + static_cast<std::int64_t>(i) * element_bytes<kDType>();
    prefetch_after(from, ahead);
    return load_vector<kDType>(from);
  }
};
struct ToBlock {
  float* block;
  HWY_INLINE void put(std::size_t i, V value) const {
    const Floats d;
    hn::Store(value, d, block + i);
  }
};
template <DType kDType, bool kStream>
struct ToMemory {
  char* memory;
  HWY_INLINE void put(std::size_t i, V value) const {
    store_vector<kDType, kStream>(value,
                                  memory + static_cast<std::int64_t>(i) * element_bytes<kDType>());
  }
};

template <class F>
HWY_INLINE void from_memory(DType dtype, const char* memory, std::uintptr_t ahead, F f) {
  switch (dtype) {
    case DType::kBFloat16:
      return f(FromMemory<DType::kBFloat16>{memory, ahead});
    case DType::kFloat16:
      return f(FromMemory<DType::kFloat16>{memory, ahead});
    default:
      return f(FromMemory<DType::kFloat32>{memory, ahead});
  }
}

struct Target {
  float* block;  ///< null: memory
  char* memory;
  DType dtype;
  bool stream;
};
template <bool kStream, class F>
HWY_INLINE void to_memory(const Target& target, F f) {
  switch (target.dtype) {
    case DType::kBFloat16:
      return f(ToMemory<DType::kBFloat16, kStream>{target.memory});
    case DType::kFloat16:
      return f(ToMemory<DType::kFloat16, kStream>{target.memory});
    default:
      return f(ToMemory<DType::kFloat32, kStream>{target.memory});
  }
}
template <class F>
HWY_INLINE void to_target(const Target& target, F f) {
  if (target.block) return f(ToBlock{target.block});
  return target.stream ? to_memory<true>(target, f) : to_memory<false>(target, f);
}

/// Products and sums with any mix of places: by value, since what is written may be anywhere.
template <class A, class B>
void combine(Op op, A left, B right, std::size_t n, const Target& target) {
  const Floats d;
  to_target(target, [=](auto to) HWY_ATTR {
    const A a = left;
    const B b = right;
    if (op == Op::kMul) {
      for (std::size_t i = 0; i < n; i += hn::Lanes(d)) to.put(i, hn::Mul(a.at(i), b.at(i)));
    } else {
      for (std::size_t i = 0; i < n; i += hn::Lanes(d)) to.put(i, hn::Add(a.at(i), b.at(i)));
    }
  });
}

/// Sum of whole vectors, or of their squares. Four sums hide the latency of an addition.
template <bool kSquares, class A>
HWY_INLINE float sum_in_memory(const A& a, std::size_t n) {
  const Floats d;
  const std::size_t lanes = hn::Lanes(d);
  V s0 = hn::Zero(d), s1 = s0, s2 = s0, s3 = s0;
  std::size_t i = 0;
  auto add = [&](V& sum, std::size_t at) HWY_ATTR {
    const V x = a.at(at);
    sum = kSquares ? hn::MulAdd(x, x, sum) : hn::Add(sum, x);
  };
  for (; i + 4 * lanes <= n; i += 4 * lanes) {
    add(s0, i), add(s1, i + lanes), add(s2, i + 2 * lanes), add(s3, i + 3 * lanes);
  }
  for (; i < n; i += lanes) add(s0, i);
  return hn::GetLane(hn::SumOfLanes(d, hn::Add(hn::Add(s0, s1), hn::Add(s2, s3))));
}

}  // namespace tileops::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // TILEOPS_IN_MEMORY_INL
