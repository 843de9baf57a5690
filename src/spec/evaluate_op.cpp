// Arithmetic on known values.
#include "spec/evaluate_op.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tileops/error.h"

namespace tileops::spec {
namespace {

Error needs(const std::string& what) {
  return Error(ErrorKind::kValue, {{}, {}, what, {}, {}});
}

std::int64_t power(std::int64_t base, std::int64_t exponent) {
  std::int64_t out = 1;
  for (std::int64_t i = 0; i < exponent; ++i) {
    if (__builtin_mul_overflow(out, base, &out)) throw needs("a result that fits 64 bits");
    if (out == 0 || out == 1) break;
    if (out == -1 && base == -1) return exponent % 2 ? -1 : 1;
  }
  return out;
}

std::int64_t on_ints(Op op, std::int64_t a, std::int64_t b) {
  std::int64_t out = 0;
  bool overflow = false;
  bool divides = op == Op::kDiv || op == Op::kMod || op == Op::kCeilDiv;
  if (divides && b == 0) throw needs("a divisor other than 0");
  if (divides && b == -1 && a == std::numeric_limits<std::int64_t>::min()) {
    throw needs("a result that fits 64 bits");
  }
  switch (op) {
    case Op::kAdd:
      overflow = __builtin_add_overflow(a, b, &out);
      break;
    case Op::kSub:
      overflow = __builtin_sub_overflow(a, b, &out);
      break;
    case Op::kMul:
      overflow = __builtin_mul_overflow(a, b, &out);
      break;
    case Op::kDiv:
      return floor_div(a, b);
    case Op::kMod:
      return floor_mod(a, b);
    case Op::kCeilDiv:
      return floor_div(a, b) + (a % b != 0 ? 1 : 0);
    case Op::kMin:
      return std::min(a, b);
    case Op::kMax:
      return std::max(a, b);
    case Op::kPow:
      if (b < 0) throw needs("an exponent of at least 0");
      return power(a, b);
    case Op::kBitAnd:
      return a & b;
    case Op::kBitOr:
      return a | b;
    case Op::kBitXor:
      return a ^ b;
    case Op::kShiftLeft:
    case Op::kShiftRight:
      if (b < 0 || b > 63) throw needs("a shift between 0 and 63");
      return op == Op::kShiftRight ? a >> b
                                   : static_cast<std::int64_t>(static_cast<std::uint64_t>(a) << b);
    default:
      throw needs("operands that are not integers");
  }
  if (overflow) throw needs("a result that fits 64 bits");
  return out;
}

double on_floats(Op op, double a, double b) {
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
    case Op::kMin:
      return std::isnan(a) || a < b ? a : b;
    case Op::kMax:
      return std::isnan(a) || a > b ? a : b;
    case Op::kPow:
      return std::pow(a, b);
    case Op::kAtan2:
      return std::atan2(a, b);
    default:
      throw needs("integers");
  }
}

double on_float(Op op, double x) {
  switch (op) {
    case Op::kNeg:
      return -x;
    case Op::kAbs:
      return std::abs(x);
    case Op::kSign:
      return std::isnan(x) ? x : static_cast<double>((x > 0) - (x < 0));
    case Op::kFloor:
      return std::floor(x);
    case Op::kCeil:
      return std::ceil(x);
    case Op::kRound:
      return std::nearbyint(x);
    case Op::kTrunc:
      return std::trunc(x);
    case Op::kSquare:
      return x * x;
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
    case Op::kTanh:
      return std::tanh(x);
    case Op::kErf:
      return std::erf(x);
    default:
      throw needs("a function of sizes and parameters");
  }
}

bool compare(Op op, const ParamValue& a, const ParamValue& b) {
  auto number = [](const ParamValue& v) -> const std::int64_t* {
    return std::get_if<std::int64_t>(&v);
  };
  if (op == Op::kEq || op == Op::kNe) {
    bool same = a == b;
    if (a.index() != b.index()) {
      if (number(a) && std::holds_alternative<double>(b)) {
        same = static_cast<double>(*number(a)) == std::get<double>(b);
      } else if (number(b) && std::holds_alternative<double>(a)) {
        same = static_cast<double>(*number(b)) == std::get<double>(a);
      }
    }
    return same == (op == Op::kEq);
  }
  auto ordered = [op](auto x, auto y) {
    switch (op) {
      case Op::kLt:
        return x < y;
      case Op::kLe:
        return x <= y;
      case Op::kGt:
        return x > y;
      default:
        return x >= y;
    }
  };
  if (number(a) && number(b)) return ordered(*number(a), *number(b));
  auto real = [&](const ParamValue& v) {
    if (number(v)) return static_cast<double>(*number(v));
    if (const auto* x = std::get_if<double>(&v)) return *x;
    throw needs("two numbers");
  };
  return ordered(real(a), real(b));
}

}  // namespace

ParamValue evaluate_op(Op op, std::span<const ParamValue> args) {
  if (op >= Op::kEq && op <= Op::kGe) return compare(op, args[0], args[1]);
  if (op == Op::kNot) {
    const bool* x = std::get_if<bool>(&args[0]);
    if (!x) throw needs("true or false");
    return !*x;
  }
  bool ints = std::all_of(args.begin(), args.end(), [](const ParamValue& v) {
    return std::holds_alternative<std::int64_t>(v);
  });
  auto real = [&](std::size_t i) {
    if (const auto* whole = std::get_if<std::int64_t>(&args[i])) return static_cast<double>(*whole);
    if (const auto* x = std::get_if<double>(&args[i])) return *x;
    throw needs("numbers");
  };
  if (args.size() == 3 && op == Op::kClamp) {
    std::vector<ParamValue> low{args[0], args[1]};
    std::vector<ParamValue> high{evaluate_op(Op::kMax, low), args[2]};
    return evaluate_op(Op::kMin, high);
  }
  if (args.size() == 2) {
    if (ints) return on_ints(op, std::get<std::int64_t>(args[0]), std::get<std::int64_t>(args[1]));
    return on_floats(op, real(0), real(1));
  }
  if (args.size() == 1 && ints) {
    std::int64_t x = std::get<std::int64_t>(args[0]);
    if (op == Op::kNeg) return on_ints(Op::kSub, 0, x);
    if (op == Op::kAbs) return x < 0 ? on_ints(Op::kSub, 0, x) : x;
    if (op == Op::kSquare) return on_ints(Op::kMul, x, x);
    if (op == Op::kSign) return static_cast<std::int64_t>((x > 0) - (x < 0));
    if (op == Op::kFloor || op == Op::kCeil || op == Op::kRound || op == Op::kTrunc) return x;
  }
  if (args.size() == 1) {
    double x = real(0);
    if (op == Op::kIsNan) return std::isnan(x);
    if (op == Op::kIsInf) return std::isinf(x);
    if (op == Op::kIsFinite) return std::isfinite(x);
    return on_float(op, x);
  }
  throw needs("a function of sizes and parameters");
}

}  // namespace tileops::spec
