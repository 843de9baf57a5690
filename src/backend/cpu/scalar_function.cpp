// Functions through float64 are right to the last bit or so of float32.
#include "backend/cpu/scalar_function.h"

#include <cmath>

#include "tileops/error.h"

namespace tileops::cpu {

using spec::Op;

bool has_scalar_form(Op op) {
  switch (op) {
    case Op::kCeilDiv:
    case Op::kBitAnd:
    case Op::kBitOr:
    case Op::kBitXor:
    case Op::kBitNot:
    case Op::kShiftLeft:
    case Op::kShiftRight:
    case Op::kComplex:
    case Op::kReal:
    case Op::kImag:
    case Op::kConj:
    case Op::kPhilox:
      return false;
    default:
      return true;
  }
}

namespace {

double function(Op op, double x) {
  switch (op) {
    case Op::kRsqrt:
      return 1 / std::sqrt(x);
    case Op::kExp:
      return std::exp(x);
    case Op::kExp2:
      return std::exp2(x);
    case Op::kExpm1:
      return std::expm1(x);
    case Op::kLog:
      return std::log(x);
    case Op::kLog2:
      return std::log2(x);
    case Op::kLog1p:
      return std::log1p(x);
    case Op::kSin:
      return std::sin(x);
    case Op::kCos:
      return std::cos(x);
    case Op::kTan:
      return std::tan(x);
    case Op::kAsin:
      return std::asin(x);
    case Op::kAcos:
      return std::acos(x);
    case Op::kAtan:
      return std::atan(x);
    case Op::kSinh:
      return std::sinh(x);
    case Op::kCosh:
      return std::cosh(x);
    case Op::kTanh:
      return std::tanh(x);
    case Op::kErf:
      return std::erf(x);
    case Op::kLgamma: {
      int sign = 0;
      return lgamma_r(x, &sign);  // std::lgamma writes a global
    }
    default:
      throw Error(ErrorKind::kNotImplemented,
                  {{}, "definition", "an operator of floats", "another", {}});
  }
}

float larger(float a, float b) {
  return std::isnan(a) || a > b ? a : b;
}
float smaller(float a, float b) {
  return std::isnan(a) || a < b ? a : b;
}

}  // namespace

float scalar_apply(Op op, std::span<const float> v) {
  float a = v[0], b = v.size() > 1 ? v[1] : 0;
  switch (op) {
    case Op::kAdd:
      return a + b;
    case Op::kSub:
      return a - b;
    case Op::kMul:
      return a * b;
    case Op::kDiv:
      return a / b;
    case Op::kMod:
      return a - std::floor(a / b) * b;
    case Op::kPow:
      return static_cast<float>(std::pow(static_cast<double>(a), static_cast<double>(b)));
    case Op::kNeg:
      return -a;
    case Op::kEq:
      return a == b;
    case Op::kNe:
      return a != b;
    case Op::kLt:
      return a < b;
    case Op::kLe:
      return a <= b;
    case Op::kGt:
      return a > b;
    case Op::kGe:
      return a >= b;
    case Op::kAnd:
      return a != 0 && b != 0;
    case Op::kOr:
      return a != 0 || b != 0;
    case Op::kNot:
      return a == 0;
    case Op::kMin:
      return smaller(a, b);
    case Op::kMax:
      return larger(a, b);
    case Op::kClamp:
      return smaller(larger(a, b), v[2]);
    case Op::kAbs:
      return std::abs(a);
    case Op::kSign:
      return std::isnan(a) ? a : static_cast<float>((a > 0) - (a < 0));
    case Op::kFloor:
      return std::floor(a);
    case Op::kCeil:
      return std::ceil(a);
    case Op::kRound:
      return std::nearbyint(a);
    case Op::kTrunc:
      return std::trunc(a);
    case Op::kSquare:
      return a * a;
    case Op::kSqrt:
      return std::sqrt(a);
    case Op::kAtan2:
      return static_cast<float>(std::atan2(static_cast<double>(a), static_cast<double>(b)));
    case Op::kIsNan:
      return std::isnan(a);
    case Op::kIsInf:
      return std::isinf(a);
    case Op::kIsFinite:
      return std::isfinite(a);
    default:
      return static_cast<float>(function(op, static_cast<double>(a)));
  }
}

}  // namespace tileops::cpu
