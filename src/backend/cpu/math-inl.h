// Functions of float32 vectors. Compiled once for each instruction set (Highway).
#if defined(TILEOPS_MATH_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TILEOPS_MATH_INL
#undef TILEOPS_MATH_INL
#else
#define TILEOPS_MATH_INL
#endif

#include <hwy/highway.h>

#include <numbers>

HWY_BEFORE_NAMESPACE();
namespace tileops::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// e^r for |r| <= ln 2 / 2: interpolation in the 7 Chebyshev nodes, relative error below 2^-28.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V exp_reduced(D d, V r) {
  V p = hn::Set(d, 1.394116086885333e-3F);
  p = hn::MulAdd(p, r, hn::Set(d, 8.375167846679688e-3F));
  p = hn::MulAdd(p, r, hn::Set(d, 4.166635125875473e-2F));
  p = hn::MulAdd(p, r, hn::Set(d, 1.6666415333747864e-1F));
  p = hn::MulAdd(p, r, hn::Set(d, 0.5F));
  p = hn::MulAdd(p, r, hn::Set(d, 1.0F));
  return hn::MulAdd(p, r, hn::Set(d, 1.0F));
}

// ln 2 in two parts: the product of the first with an integer is exact.
constexpr float kLn2High = 0.693359375F;  // NOLINT(modernize-use-std-numbers)
constexpr float kLn2Low = -2.12194440e-4F;

/// x = n ln 2 + r. Adding 1.5 * 2^23 rounds to an integer, which then stands in the low bits.
/// (Muller, Elementary Functions, 3rd edition, chapter 11; ln 2 in two parts after Cody and Waite.)
template <class D, class V = hn::Vec<D>>
struct Reduced {
  V r;
  hn::Vec<hn::RebindToSigned<D>> n;
};
template <class D, class V = hn::Vec<D>>
HWY_INLINE Reduced<D> reduce_by_ln2(D d, V x) {
  const hn::RebindToSigned<D> di;
  const V magic = hn::Set(d, 12582912.0F);
  const V shifted = hn::MulAdd(x, hn::Set(d, std::numbers::log2e_v<float>), magic);
  const V n = hn::Sub(shifted, magic);
  const V r = hn::NegMulAdd(n, hn::Set(d, kLn2Low), hn::NegMulAdd(n, hn::Set(d, kLn2High), x));
  return {r, hn::Sub(hn::BitCast(di, shifted), hn::BitCast(di, magic))};
}

/// e^x for |x| <= 64, where 2^n is added to the exponent.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V exp_moderate(D d, V x) {
  const hn::RebindToSigned<D> di;
  const auto reduced = reduce_by_ln2(d, x);
  const V p = exp_reduced(d, reduced.r);
  return hn::BitCast(d, hn::Add(hn::BitCast(di, p), hn::ShiftLeft<23>(reduced.n)));
}

/// e^x for every x, within 2 units in the last place; 2^n in two factors, so that results below
/// the normal range and near the largest float come out right.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V exp(D d, V x) {
  const hn::RebindToSigned<D> di;
  // Beyond these the result is infinity or zero.
  const V limited = hn::Min(hn::Set(d, 89.0F), hn::Max(hn::Set(d, -104.0F), x));
  const auto reduced = reduce_by_ln2(d, limited);
  const auto half = hn::ShiftRight<1>(reduced.n);
  auto power = [&](auto k) HWY_ATTR {
    return hn::BitCast(d, hn::ShiftLeft<23>(hn::Add(k, hn::Set(di, 127))));
  };
  const V result =
      hn::Mul(hn::Mul(exp_reduced(d, reduced.r), power(half)), power(hn::Sub(reduced.n, half)));
  return hn::IfThenElse(hn::IsNaN(x), x, result);
}

/// a / b for 1 <= b <= 2^100, within 2 units in the last place: an approximate reciprocal and
/// Newton's step pipeline where a division does not.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V divide_by_large(D d, V a, V b) {
  const V two = hn::Set(d, 2.0F);
  V r = hn::ApproximateReciprocal(b);  // 11 bits at least
  r = hn::Mul(r, hn::NegMulAdd(b, r, two));
  if constexpr (HWY_TARGET > HWY_AVX3) r = hn::Mul(r, hn::NegMulAdd(b, r, two));
  return hn::Mul(a, r);
}

/// a / (1 + e^-x) where |a| <= 64. Large x, infinities and nan go the long way.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V over_one_plus_exp(D d, V a, V x) {
  const V one = hn::Set(d, 1.0F);
  if (HWY_LIKELY(hn::AllTrue(d, hn::Le(hn::Abs(x), hn::Set(d, 64.0F))))) {
    return divide_by_large(d, a, hn::Add(one, exp_moderate(d, hn::Neg(x))));
  }
  return hn::Div(a, hn::Add(one, exp(d, hn::Neg(x))));
}

/// x / (1 + e^-x); -infinity gives nan, as the formula does.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V silu(D d, V x) {
  return over_one_plus_exp(d, x, x);
}

template <class D, class V = hn::Vec<D>>
HWY_INLINE V sigmoid(D d, V x) {
  return over_one_plus_exp(d, hn::Set(d, 1.0F), x);
}

}  // namespace tileops::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // TILEOPS_MATH_INL
