// Expressions to canonical text: the fewest brackets, one blank around binary operators.
#include "spec/print_expr.h"

#include <fmt/format.h>

#include <cmath>

#include "spec/names.h"

namespace tileops::spec {
namespace {

// Tightness of binding, as the levels of grammar.h.
enum Level {
  kTernary,
  kCoalesce,
  kOr,
  kAnd,
  kNot,
  kCompare,
  kAdd,
  kMultiply,
  kUnary,
  kPower,
  kPrimary
};

Level level(Op op) {
  switch (op) {
    case Op::kOr:
      return kOr;
    case Op::kAnd:
      return kAnd;
    case Op::kNot:
      return kNot;
    case Op::kEq:
    case Op::kNe:
    case Op::kLt:
    case Op::kLe:
    case Op::kGt:
    case Op::kGe:
      return kCompare;
    case Op::kAdd:
    case Op::kSub:
      return kAdd;
    case Op::kMul:
    case Op::kDiv:
    case Op::kMod:
      return kMultiply;
    case Op::kNeg:
      return kUnary;
    case Op::kPow:
      return kPower;
    default:
      return kPrimary;
  }
}

template <class... F>
struct Overloaded : F... {
  using F::operator()...;
};
template <class... F>
Overloaded(F...) -> Overloaded<F...>;  // clang 14 does not deduce aggregates

class Printer {
 public:
  /// With brackets where the expression binds less tightly than `least`.
  std::string at(const ExprPtr& expr, Level least) const {
    auto [text, own] = print(expr);
    return own < least ? "(" + text + ")" : text;
  }

  std::string subscripts(const std::vector<Subscript>& list) const {
    std::string out = "[";
    for (const Subscript& subscript : list) {
      if (out.size() > 1) out += ", ";
      switch (subscript.kind) {
        case Subscript::Kind::kEllipsis:
          out += "...";
          break;
        case Subscript::Kind::kGroup:
          out += subscript.group + "...";
          break;
        case Subscript::Kind::kExpr:
          out += at(subscript.expr, kTernary);
      }
    }
    return out + "]";
  }

  std::string binder(const Binder& binder, bool with_range) const {
    if (binder.group) return binder.name + "...";
    if (!with_range || !binder.lo) return binder.name;
    return binder.name + " in " + at(binder.lo, kAdd) + ".." + at(binder.hi, kAdd);
  }

 private:
  struct Text {
    std::string text;
    Level level;
  };

  Text print(const ExprPtr& expr) const {
    return std::visit(
        Overloaded{
            [](const NoneLit&) { return Text{"none", kPrimary}; },
            [](const BoolLit& x) { return Text{x.value ? "true" : "false", kPrimary}; },
            [](const IntLit& x) {
              return Text{std::to_string(x.value), x.value < 0 ? kUnary : kPrimary};
            },
            [](const FloatLit& x) {
              return Text{print_float(x.value), std::signbit(x.value) ? kUnary : kPrimary};
            },
            [](const DTypeLit& x) { return Text{std::string(dtype_name(x.value)), kPrimary}; },
            [](const TextLit& x) { return Text{"\"" + x.value + "\"", kPrimary}; },
            [](const Name& x) { return Text{x.name, kPrimary}; },
            [](const GroupRef& x) { return Text{x.name + "...", kPrimary}; },
            [&](const ShapeLit& x) { return Text{subscripts(x.dims), kPrimary}; },
            [&](const Access& x) { return Text{spec::print(x), kPrimary}; },
            [&](const Apply& x) { return apply(x); },
            [&](const Select& x) {
              return Text{at(x.condition, kCoalesce) + " ? " + at(x.then, kTernary) + " : " +
                              at(x.otherwise, kTernary),
                          kTernary};
            },
            [&](const Coalesce& x) {
              return Text{at(x.value, kOr) + " ?? " + at(x.fallback, kCoalesce), kCoalesce};
            },
            [](const Given& x) { return Text{x.name + " is given", kPrimary}; },
            [&](const Call& x) { return Text{x.function + arguments(x.args), kPrimary}; },
            [&](const RoundTo& x) {
              return Text{"round_to(" + at(x.dtype, kTernary) + ", " + at(x.value, kTernary) +
                              (x.saturate ? ", saturate)" : ")"),
                          kPrimary};
            },
            [&](const Reduce& x) { return reduce(x); },
        },
        expr->node);
  }

  std::string arguments(const std::vector<ExprPtr>& args) const {
    std::string out = "(";
    for (const ExprPtr& arg : args) out += (out.size() > 1 ? ", " : "") + at(arg, kTernary);
    return out + ")";
  }

  Text apply(const Apply& x) const {
    Level own = level(x.op);
    std::string name(op_name(x.op));
    switch (own) {
      case kPrimary:
        return {name + arguments(x.args), own};
      case kNot:
        return {"not " + at(x.args[0], kNot), own};
      case kUnary:
        return {"-" + at(x.args[0], kUnary), own};
      case kPower:
        return {at(x.args[0], kPrimary) + "^" + at(x.args[1], kUnary), own};
      default: {
        auto left = static_cast<Level>(own == kCompare ? own + 1 : own);
        return {at(x.args[0], left) + " " + name + " " + at(x.args[1], static_cast<Level>(own + 1)),
                own};
      }
    }
  }

  Text reduce(const Reduce& x) const {
    std::string out(x.op == ReduceOp::kNamed ? x.name : std::string(reduce_name(x.op)));
    out += "(";
    if (x.op == ReduceOp::kNth) out += at(x.rank, kTernary) + ", ";
    for (std::size_t i = 0; i < x.binders.size(); ++i) {
      out += (i ? ", " : "") + binder(x.binders[i], true);
    }
    if (x.filter) out += " | " + at(x.filter, kTernary);
    out += ": ";
    if (x.op == ReduceOp::kNth) {
      out += x.direction == Direction::kDescending ? "by descending " : "by ascending ";
    }
    out += at(x.body, kTernary);
    if (x.ties != Ties::kUnset) out += ", ties " + std::string(ties_name(x.ties));
    if (x.nan != NanRule::kUnset) out += ", nan " + std::string(nan_rule_name(x.nan));
    out += ")";
    if (!x.otherwise) return {out, kPrimary};
    // Between brackets, since `else` would take what follows along.
    return {out + " else " + at(x.otherwise, kUnary), kUnary};
  }
};

}  // namespace

std::string print_float(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  std::string text = fmt::format("{}", value);
  return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

std::string print(const ExprPtr& expr) {
  return expr ? Printer().at(expr, kTernary) : "";
}
std::string print(const Access& access) {
  return access.tensor + (access.primed ? "'" : "") + Printer().subscripts(access.subscripts);
}
std::string print(const Binder& binder) {
  return Printer().binder(binder, true);
}

}  // namespace tileops::spec
