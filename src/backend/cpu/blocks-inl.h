// Operators on blocks of floats in the first-level cache, and reductions of a block. Compiled once
// for each instruction set.
#if defined(TILEOPS_BLOCKS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TILEOPS_BLOCKS_INL
#undef TILEOPS_BLOCKS_INL
#else
#define TILEOPS_BLOCKS_INL
#endif

#include <hwy/highway.h>

#include <cmath>
#include <limits>

#include "backend/cpu/math-inl.h"
#include "backend/cpu/memory-inl.h"
#include "backend/cpu/scalar_function.h"
#include "spec/ast.h"

HWY_BEFORE_NAMESPACE();
namespace tileops::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using spec::Op;
using spec::ReduceOp;

constexpr std::size_t kBlock = 512;

/// A block, or one number for all of it.
struct Argument {
  const float* block;
  float number;
  HWY_INLINE V at(std::size_t i) const {
    const Floats d;
    return block ? hn::Load(d, block + i) : hn::Set(d, number);
  }
};

template <class F>
HWY_INLINE void map(std::size_t n, float* HWY_RESTRICT out, F f) {
  const Floats d;
  for (std::size_t i = 0; i < n; i += hn::Lanes(d)) hn::Store(f(i), d, out + i);
}

/// One loop for each way that two arguments may come.
template <class F>
HWY_INLINE void map2(
    const Argument& a, const Argument& b, std::size_t n, float* HWY_RESTRICT out, F f) {
  const Floats d;
  if (a.block && b.block) {
    map(n, out,
        [&](std::size_t i) { return f(hn::Load(d, a.block + i), hn::Load(d, b.block + i)); });
  } else if (a.block) {
    const V number = hn::Set(d, b.number);
    map(n, out, [&](std::size_t i) { return f(hn::Load(d, a.block + i), number); });
  } else {
    const V number = hn::Set(d, a.number);
    map(n, out, [&](std::size_t i) { return f(number, b.at(i)); });
  }
}

HWY_INLINE V truth(hn::Mask<Floats> mask) {
  const Floats d;
  return hn::IfThenElseZero(mask, hn::Set(d, 1.0F));
}
HWY_INLINE V larger(V a, V b) {
  return hn::IfThenElse(hn::IsNaN(a), a, hn::IfThenElse(hn::IsNaN(b), b, hn::Max(a, b)));
}
HWY_INLINE V smaller(V a, V b) {
  return hn::IfThenElse(hn::IsNaN(a), a, hn::IfThenElse(hn::IsNaN(b), b, hn::Min(a, b)));
}

inline void apply_by_element(
    Op op, const Argument* args, std::size_t count, std::size_t n, float* out) {
  float v[3] = {};
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t a = 0; a < count; ++a)
      v[a] = args[a].block ? args[a].block[i] : args[a].number;
    out[i] = scalar_apply(op, {v, count});
  }
}

inline void apply(
    Op op, const Argument* args, std::size_t count, std::size_t n, float* HWY_RESTRICT out) {
  const Floats d;
  const Argument &a = args[0], &b = args[count > 1 ? 1 : 0];
  switch (op) {
    case Op::kAdd:
      return map2(a, b, n, out, [](V x, V y) { return hn::Add(x, y); });
    case Op::kSub:
      return map2(a, b, n, out, [](V x, V y) { return hn::Sub(x, y); });
    case Op::kMul:
      return map2(a, b, n, out, [](V x, V y) { return hn::Mul(x, y); });
    case Op::kDiv:
      // One division for the block where no reciprocal overflows: another rounding, within bounds.
      if (!b.block && std::abs(b.number) > 0x1p-100F && std::abs(b.number) < 0x1p+100F) {
        const V inverse = hn::Set(d, 1.0F / b.number);
        return map(n, out, [&](std::size_t i) { return hn::Mul(a.at(i), inverse); });
      }
      return map2(a, b, n, out, [](V x, V y) { return hn::Div(x, y); });
    case Op::kMax:
      return map2(a, b, n, out, [](V x, V y) { return larger(x, y); });
    case Op::kMin:
      return map2(a, b, n, out, [](V x, V y) { return smaller(x, y); });
    case Op::kEq:
      return map2(a, b, n, out, [](V x, V y) { return truth(hn::Eq(x, y)); });
    case Op::kNe:
      return map2(a, b, n, out, [](V x, V y) { return truth(hn::Ne(x, y)); });
    case Op::kLt:
      return map2(a, b, n, out, [](V x, V y) { return truth(hn::Lt(x, y)); });
    case Op::kLe:
      return map2(a, b, n, out, [](V x, V y) { return truth(hn::Le(x, y)); });
    case Op::kGt:
      return map2(a, b, n, out, [](V x, V y) { return truth(hn::Gt(x, y)); });
    case Op::kGe:
      return map2(a, b, n, out, [](V x, V y) { return truth(hn::Ge(x, y)); });
    case Op::kAnd:
      return map2(a, b, n, out, [](V x, V y) { return hn::Mul(x, y); });
    case Op::kOr:
      return map2(a, b, n, out, [](V x, V y) { return hn::Max(x, y); });
    case Op::kNot:
      return map(n, out, [&](std::size_t i) { return truth(hn::Eq(a.at(i), hn::Zero(d))); });
    case Op::kNeg:
      return map(n, out, [&](std::size_t i) { return hn::Neg(a.at(i)); });
    case Op::kAbs:
      return map(n, out, [&](std::size_t i) { return hn::Abs(a.at(i)); });
    case Op::kSquare:
      return map(n, out, [&](std::size_t i) { return hn::Mul(a.at(i), a.at(i)); });
    case Op::kSqrt:
      return map(n, out, [&](std::size_t i) { return hn::Sqrt(a.at(i)); });
    case Op::kRsqrt:
      return map(n, out,
                 [&](std::size_t i) { return hn::Div(hn::Set(d, 1.0F), hn::Sqrt(a.at(i))); });
    case Op::kExp:
      return map(n, out, [&](std::size_t i) HWY_ATTR {
        const V x = a.at(i);
        const bool moderate = hn::AllTrue(d, hn::Le(hn::Abs(x), hn::Set(d, 64.0F)));
        return HWY_LIKELY(moderate) ? exp_moderate(d, x) : exp(d, x);
      });
    default:
      return apply_by_element(op, args, count, n, out);
  }
}

/// Sum, product or extreme of a block whose last vector is filled with the neutral element.
HWY_INLINE float reduce_block(ReduceOp op, const float* HWY_RESTRICT block, std::size_t n) {
  const Floats d;
  const std::size_t lanes = hn::Lanes(d);
  auto fold = [&](auto f) {
    V a = hn::Load(d, block), b = a;
    std::size_t i = lanes;
    bool two = n >= 2 * lanes;
    if (two) b = hn::Load(d, block + lanes), i = 2 * lanes;
    for (; i + 2 * lanes <= n; i += 2 * lanes) {
      a = f(a, hn::Load(d, block + i));
      b = f(b, hn::Load(d, block + i + lanes));
    }
    for (; i < n; i += lanes) a = f(a, hn::Load(d, block + i));
    if (two) a = f(a, b);
    return a;
  };
  // The instructions lose a nan, which is looked for apart.
  auto extreme = [&](auto choose, auto of_lanes) HWY_ATTR {
    V a = hn::Load(d, block);
    auto any_nan = hn::IsNaN(a);
    for (std::size_t i = lanes; i < n; i += lanes) {
      const V x = hn::Load(d, block + i);
      any_nan = hn::Or(any_nan, hn::IsNaN(x));
      a = choose(a, x);
    }
    if (HWY_UNLIKELY(!hn::AllFalse(d, any_nan))) return std::numeric_limits<float>::quiet_NaN();
    return hn::GetLane(of_lanes(a));
  };
  HWY_ALIGN float last[64];
  switch (op) {
    case ReduceOp::kMax:
      return extreme([](V x, V y) HWY_ATTR { return hn::Max(x, y); },
                     [](V x) HWY_ATTR { return hn::MaxOfLanes(Floats(), x); });
    case ReduceOp::kMin:
      return extreme([](V x, V y) HWY_ATTR { return hn::Min(x, y); },
                     [](V x) HWY_ATTR { return hn::MinOfLanes(Floats(), x); });
    case ReduceOp::kProd:
      hn::Store(fold([](V x, V y) { return hn::Mul(x, y); }), d, last);
      for (std::size_t i = 1; i < lanes; ++i) last[0] *= last[i];
      return last[0];
    default:
      return hn::GetLane(hn::SumOfLanes(d, fold([](V x, V y) { return hn::Add(x, y); })));
  }
}

/// to = to (sum, product or extreme) values where `kept` is not 0.
inline void accumulate(ReduceOp op,
                       const Argument& values,
                       const Argument& kept,
                       std::size_t n,
                       float* HWY_RESTRICT to) {
  const Floats d;
  auto fold = [&](auto f) HWY_ATTR {
    map(n, to, [&](std::size_t i) HWY_ATTR {
      const V before = hn::Load(d, to + i);
      return hn::IfThenElse(hn::Ne(kept.at(i), hn::Zero(d)), f(before, values.at(i)), before);
    });
  };
  switch (op) {
    case ReduceOp::kMax:
      return fold([](V x, V y) HWY_ATTR { return larger(x, y); });
    case ReduceOp::kMin:
      return fold([](V x, V y) HWY_ATTR { return smaller(x, y); });
    case ReduceOp::kProd:
      return fold([](V x, V y) HWY_ATTR { return hn::Mul(x, y); });
    default:
      return fold([](V x, V y) HWY_ATTR { return hn::Add(x, y); });
  }
}

inline float neutral(ReduceOp op) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  if (op == ReduceOp::kMax) return -kInfinity;
  if (op == ReduceOp::kMin) return kInfinity;
  return op == ReduceOp::kProd ? 1.0F : 0.0F;
}

}  // namespace tileops::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // TILEOPS_BLOCKS_INL
