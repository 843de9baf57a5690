// e² = Σ(∂ᵢeᵢ)² + (u·x)²/3, b = Σ|∂ᵢ|bᵢ; at poles the values at both ends of the error instead.
#include "certify/oracle/elementary.h"

#include <algorithm>

#include "certify/oracle/functions.h"
#include "certify/oracle/lane_loops.h"
#include "certify/oracle/rounding.h"
#include "spec/evaluate_op.h"
#include "tileops/error.h"

namespace tileops::certify::oracle {
namespace {

using spec::Op;
using spec::Type;

struct Value {
  double x = 0, e = 0, b = 0;
  double error() const { return 6 * e + b; }
};

Value lane_of(const Block& block, int lane) {
  auto i = static_cast<std::size_t>(lane);
  return block.exact ? Value{block.x[i], 0, 0} : Value{block.x[i], block.e[i], block.b[i]};
}

double square(double x) {
  return x * x;
}

/// The rounding of the operation itself, and the range rules.
Value finished(Value v, double unit, bool inputs_finite, const Rounding& rounding) {
  v.e = std::sqrt(square(v.e) + square(unit * v.x) / 3);
  double magnitude = std::abs(v.x);
  if (!std::isfinite(v.x)) {
    bool overflowed = inputs_finite && std::isinf(v.x) && v.error() > 0 && !std::isnan(v.b);
    return {v.x, 0, overflowed || v.b == kInfinity ? kInfinity : 0};
  }
  if (magnitude > rounding.half_range) v.b = kInfinity;
  if (magnitude < rounding.smallest && magnitude > 0) v.b += rounding.smallest;
  if (std::isnan(v.e) || std::isnan(v.b)) v = {v.x, 0, kInfinity};
  return v;
}

/// Between f at both ends of the error: where the derivative says nothing.
template <class F>
Value hull(double x, double low, double high, F f) {
  double a = f(low), c = f(high), middle = f(x);
  double reach = std::max(std::abs(a - middle), std::abs(c - middle));
  return {middle, 0, std::isnan(reach) ? kInfinity : reach};
}

Value divide(const Value& a, const Value& b) {
  double quotient = a.x / b.x;
  if (b.error() > std::abs(b.x) / 16) {
    if (std::abs(b.x) <= b.error()) return {quotient, 0, kInfinity};
    Value v = hull(b.x, b.x - b.error(), b.x + b.error(), [&](double y) { return a.x / y; });
    v.e = a.e / std::abs(b.x);
    v.b += a.b / (std::abs(b.x) - b.error());
    return v;
  }
  double inverse = 1 / b.x;
  return {quotient, std::hypot(a.e * inverse, quotient * inverse * b.e),
          std::abs(inverse) * a.b + std::abs(quotient * inverse) * b.b};
}

Value power(const Value& a, const Value& b) {
  double x = std::pow(a.x, b.x);
  double da = b.x == 0 ? 0 : b.x * std::pow(a.x, b.x - 1);
  double db = a.x > 0 ? x * std::log(a.x) : 0;
  return {x, std::hypot(da * a.e, b.e == 0 ? 0 : db * b.e),
          std::abs(da) * a.b + (b.b == 0 ? 0 : std::abs(db) * b.b)};
}

/// The larger or smaller; both errors where either may be chosen.
Value extreme(const Value& a, const Value& b, bool largest) {
  if (std::isnan(a.x)) return a;
  if (std::isnan(b.x)) return b;
  bool first = largest ? a.x >= b.x : a.x <= b.x;
  const Value& chosen = first ? a : b;
  const Value& other = first ? b : a;
  if (std::abs(a.x - b.x) > a.error() + b.error()) return chosen;
  return {chosen.x, std::max(a.e, b.e), std::max(chosen.b, other.b)};
}

Value function(Op op, const Value& a) {
  double x = function_value(op, a.x);
  if (a.error() == 0) return {x, 0, 0};
  if (has_pole(op) && a.error() > std::abs(a.x) / 16) {
    double low =
        op == Op::kLog1p ? std::max(a.x - a.error(), -1.0) : std::max(a.x - a.error(), 0.0);
    return hull(a.x, low, a.x + a.error(), [&](double y) { return function_value(op, y); });
  }
  double derivative = function_derivative(op, a.x, x);
  return {x, std::abs(derivative) * a.e, std::abs(derivative) * a.b};
}

/// Steps: the hull of what both ends of the error give.
Value step(Op op, const Value& a) {
  auto f = [op](double y) {
    ParamValue arg = y;
    return std::get<double>(spec::evaluate_op(op, {&arg, 1}));
  };
  if (std::isnan(a.x)) return {a.x, 0, a.b};
  if (a.error() == 0) return {f(a.x), 0, 0};
  return hull(a.x, a.x - a.error(), a.x + a.error(), f);
}

Value inexact(Op op, std::span<const Value> v) {
  switch (op) {
    case Op::kAdd:
    case Op::kSub:
      return {op == Op::kAdd ? v[0].x + v[1].x : v[0].x - v[1].x, std::hypot(v[0].e, v[1].e),
              v[0].b + v[1].b};
    case Op::kMul:
      return {v[0].x * v[1].x, std::hypot(v[1].x * v[0].e, v[0].x * v[1].e),
              (v[0].b == 0 ? 0 : std::abs(v[1].x) * v[0].b) +
                  (v[1].b == 0 ? 0 : std::abs(v[0].x) * v[1].b)};
    case Op::kSquare:
      return {v[0].x * v[0].x, 2 * std::abs(v[0].x) * v[0].e,
              v[0].b == 0 ? 0 : 2 * std::abs(v[0].x) * v[0].b + v[0].b * v[0].b};
    case Op::kDiv:
      return divide(v[0], v[1]);
    case Op::kMod: {
      Value quotient = divide(v[0], v[1]);
      double floor = std::floor(quotient.x);
      bool undecided = std::abs(quotient.x - std::nearbyint(quotient.x)) <= quotient.error();
      return {
          v[0].x - floor * v[1].x, std::hypot(v[0].e, floor * v[1].e),
          undecided && quotient.error() > 0 ? std::abs(v[1].x) : v[0].b + std::abs(floor) * v[1].b};
    }
    case Op::kPow:
      return power(v[0], v[1]);
    case Op::kNeg:
      return {-v[0].x, v[0].e, v[0].b};
    case Op::kAbs:
      return {std::abs(v[0].x), v[0].e, v[0].b};
    case Op::kMin:
    case Op::kMax:
      return extreme(v[0], v[1], op == Op::kMax);
    case Op::kClamp:
      return extreme(extreme(v[0], v[1], true), v[2], false);
    case Op::kAtan2: {
      double r2 = square(v[0].x) + square(v[1].x);
      double da = v[1].x / r2, db = -v[0].x / r2;
      return {std::atan2(v[0].x, v[1].x), std::hypot(da * v[0].e, db * v[1].e),
              std::abs(da) * v[0].b + std::abs(db) * v[1].b};
    }
    case Op::kSign:
    case Op::kFloor:
    case Op::kCeil:
    case Op::kRound:
    case Op::kTrunc:
      return step(op, v[0]);
    default:
      if (is_function(op)) return function(op, v[0]);
      throw Error(ErrorKind::kNotImplemented,
                  {{}, "definition", "an operator that the oracle evaluates", "another", {}});
  }
}

bool rounds(Op op) {
  switch (op) {
    case Op::kNeg:
    case Op::kAbs:
    case Op::kMin:
    case Op::kMax:
    case Op::kClamp:
    case Op::kSign:
    case Op::kFloor:
    case Op::kCeil:
    case Op::kRound:
    case Op::kTrunc:
      return false;
    default:
      return true;
  }
}

double integer(Op op, std::span<const double> x) {
  std::array<ParamValue, 3> args;
  for (std::size_t i = 0; i < x.size(); ++i) args[i] = static_cast<std::int64_t>(x[i]);
  if (op == Op::kBitNot) return static_cast<double>(~static_cast<std::int64_t>(x[0]));
  ParamValue result = spec::evaluate_op(op, {args.data(), x.size()});
  return static_cast<double>(std::get<std::int64_t>(result));
}

bool is_comparison(Op op) {
  return op >= Op::kEq && op <= Op::kGe;
}

void discrete(Op op, std::span<const Block* const> args, int lanes, Block& out) {
  if (is_comparison(op)) return compare(op, *args[0], *args[1], lanes, out);
  if (op == Op::kAnd || op == Op::kOr) return combine(op, *args[0], *args[1], lanes, out);
  out.exact = args[0]->exact || op != Op::kNot;
  for (int lane = 0; lane < lanes; ++lane) {
    auto i = static_cast<std::size_t>(lane);
    double x = args[0]->x[i];
    bool holds = op == Op::kNot     ? x == 0
                 : op == Op::kIsNan ? std::isnan(x)
                 : op == Op::kIsInf ? std::isinf(x)
                                    : std::isfinite(x);
    out.x[i] = holds ? 1 : 0;
    if (!out.exact) out.e[i] = 0, out.b[i] = args[0]->b[i];
  }
}

}  // namespace

void apply(const Node& node,
           std::span<const Block* const> args,
           const Rounding& rounding,
           int lanes,
           Block& out) {
  Op op = node.op;
  if (node.type == Type::kBool) return discrete(op, args, lanes, out);
  if (apply_ordinary(node, args, rounding, lanes, out)) return;
  std::array<Value, 3> v;
  std::array<double, 3> x{};
  bool all_exact = true;
  for (const Block* arg : args) all_exact = all_exact && arg->exact;
  out.exact = node.type != Type::kFloat && all_exact;
  double unit =
      is_function(op) || op == Op::kPow || op == Op::kAtan2 ? rounding.function : rounding.unit;
  if (!rounds(op)) unit = 0;
  for (int lane = 0; lane < lanes; ++lane) {
    bool finite = true;
    for (std::size_t i = 0; i < args.size(); ++i) {
      v[i] = lane_of(*args[i], lane);
      x[i] = v[i].x;
      finite = finite && std::isfinite(x[i]);
    }
    std::span<const Value> values(v.data(), args.size());
    Value result;
    if (node.type == Type::kInt) {
      result.x = integer(op, {x.data(), args.size()});
      if (!all_exact) result.b = kInfinity;  // an integer made of an undecided one
    } else {
      bool plain = !rounds(op) && all_exact;
      result = inexact(op, values);
      if (!plain) result = finished(result, unit, finite, rounding);
    }
    auto i = static_cast<std::size_t>(lane);
    out.x[i] = result.x;
    out.e[i] = result.e;
    out.b[i] = result.b;
  }
}

void round_block(const Node& node, const Block& value, int lanes, Block& out) {
  auto round = [&](double x) {
    return node.saturate ? rounded_saturating(node.dtype, x) : rounded(node.dtype, x);
  };
  out.exact = value.exact;
  for (int lane = 0; lane < lanes; ++lane) {
    auto i = static_cast<std::size_t>(lane);
    Value v = lane_of(value, lane);
    double x = round(v.x);
    double reach = 0;
    if (v.error() > 0) {
      reach = std::max(std::abs(round(v.x + v.error()) - x), std::abs(x - round(v.x - v.error())));
      if (std::isnan(reach)) reach = kInfinity;
    }
    out.x[i] = x;
    out.e[i] = 0;
    out.b[i] = reach;
  }
}

}  // namespace tileops::certify::oracle
