// The table of functions.
#include "certify/oracle/functions.h"

#include <cmath>
#include <numbers>

#include "tileops/error.h"

namespace tileops::certify::oracle {

using spec::Op;

bool is_function(Op op) {
  return (op >= Op::kSqrt && op <= Op::kAtan) || (op >= Op::kSinh && op <= Op::kLgamma);
}

bool has_pole(Op op) {
  return op == Op::kLog || op == Op::kLog2 || op == Op::kLog1p || op == Op::kSqrt ||
         op == Op::kRsqrt || op == Op::kAsin || op == Op::kAcos;
}

double function_value(Op op, double x) {
  switch (op) {
    case Op::kSqrt:
      return std::sqrt(x);
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
    case Op::kLgamma:
      return std::lgamma(x);
    default:
      throw Error(ErrorKind::kBug, {{}, "function", "a function of one real", "another", {}});
  }
}

double function_derivative(Op op, double x, double value) {
  switch (op) {
    case Op::kSqrt:
      return 0.5 / value;
    case Op::kRsqrt:
      return -0.5 * value / x;
    case Op::kExp:
      return value;
    case Op::kExp2:
      return value * std::numbers::ln2;
    case Op::kExpm1:
      return value + 1;
    case Op::kLog:
      return 1 / x;
    case Op::kLog2:
      return 1 / (x * std::numbers::ln2);
    case Op::kLog1p:
      return 1 / (1 + x);
    case Op::kSin:
      return std::cos(x);
    case Op::kCos:
      return -std::sin(x);
    case Op::kTan:
      return 1 + value * value;
    case Op::kAsin:
      return 1 / std::sqrt(1 - x * x);
    case Op::kAcos:
      return -1 / std::sqrt(1 - x * x);
    case Op::kAtan:
      return 1 / (1 + x * x);
    case Op::kSinh:
      return std::cosh(x);
    case Op::kCosh:
      return std::sinh(x);
    case Op::kTanh:
      return 1 - value * value;
    case Op::kErf:
      return 2 / std::sqrt(std::numbers::pi) * std::exp(-x * x);
    default: {  // lgamma: by difference
      double step = 1e-6 * std::max(1.0, std::abs(x));
      return (function_value(op, x + step) - function_value(op, x - step)) / (2 * step);
    }
  }
}

}  // namespace tileops::certify::oracle
