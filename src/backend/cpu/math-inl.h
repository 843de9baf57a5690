// Functions of float32 vectors. Compiled once for each instruction set (Highway).
#if defined(TILEOPS_MATH_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TILEOPS_MATH_INL
#undef TILEOPS_MATH_INL
#else
#define TILEOPS_MATH_INL
#endif

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace tileops::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// e^x within 2 units in the last place. x = n ln 2 + r, |r| <= ln 2 / 2; e^r by its Taylor
/// polynomial of degree 7, whose remainder is below 2^-27; 2^n in two factors, so that results
/// below the normal range and near the largest float come out right. (Muller, Elementary
/// Functions, 3rd edition, chapter 11; ln 2 in two parts after Cody and Waite.)
template <class D, class V = hn::Vec<D>>
HWY_INLINE V exp(D d, V x) {
  const hn::RebindToSigned<D> di;
  const V log2e = hn::Set(d, 1.44269504088896341F);
  const V ln2_high = hn::Set(d, 0.693359375F), ln2_low = hn::Set(d, -2.12194440e-4F);
  // Beyond these the result is infinity or zero; nan passes Min and Max as the second operand.
  V limited = hn::Min(hn::Set(d, 89.0F), hn::Max(hn::Set(d, -104.0F), x));
  V n = hn::Round(hn::Mul(limited, log2e));
  V r = hn::NegMulAdd(n, ln2_low, hn::NegMulAdd(n, ln2_high, limited));
  V p = hn::Set(d, 1.0F / 5040);
  p = hn::MulAdd(p, r, hn::Set(d, 1.0F / 720));
  p = hn::MulAdd(p, r, hn::Set(d, 1.0F / 120));
  p = hn::MulAdd(p, r, hn::Set(d, 1.0F / 24));
  p = hn::MulAdd(p, r, hn::Set(d, 1.0F / 6));
  p = hn::MulAdd(p, r, hn::Set(d, 0.5F));
  p = hn::MulAdd(p, r, hn::Set(d, 1.0F));
  p = hn::MulAdd(p, r, hn::Set(d, 1.0F));
  auto whole = hn::ConvertTo(di, n);
  auto half = hn::ShiftRight<1>(whole);
  auto power = [&](auto k) {
    return hn::BitCast(d, hn::ShiftLeft<23>(hn::Add(k, hn::Set(di, 127))));
  };
  V result = hn::Mul(hn::Mul(p, power(half)), power(hn::Sub(whole, half)));
  return hn::IfThenElse(hn::IsNaN(x), x, result);
}

/// x / (1 + e^-x); -infinity gives nan, as the formula does.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V silu(D d, V x) {
  return hn::Div(x, hn::Add(hn::Set(d, 1.0F), exp(d, hn::Neg(x))));
}

template <class D, class V = hn::Vec<D>>
HWY_INLINE V sigmoid(D d, V x) {
  const V one = hn::Set(d, 1.0F);
  return hn::Div(one, hn::Add(one, exp(d, hn::Neg(x))));
}

}  // namespace tileops::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // TILEOPS_MATH_INL
