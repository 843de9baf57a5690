// Bottom-up typing and constant folding.
#include "spec/fold.h"

#include <algorithm>

#include "spec/evaluate_op.h"
#include "tileops/error.h"

namespace tileops::spec {
namespace {

Type wider(Type a, Type b) {
  if (a == Type::kNone) return b;
  if (b == Type::kNone) return a;
  for (Type type : {Type::kComplex, Type::kFloat, Type::kInt, Type::kBool}) {
    if (a == type || b == type) return type;
  }
  return a;
}

Type type_of_apply(const Apply& x) {
  Type widest = Type::kBool;
  for (const ExprPtr& arg : x.args) widest = wider(widest, arg->type);
  switch (x.op) {
    case Op::kEq:
    case Op::kNe:
    case Op::kLt:
    case Op::kLe:
    case Op::kGt:
    case Op::kGe:
    case Op::kAnd:
    case Op::kOr:
    case Op::kNot:
    case Op::kIsNan:
    case Op::kIsInf:
    case Op::kIsFinite:
      return Type::kBool;
    case Op::kAdd:
    case Op::kSub:
    case Op::kMul:
    case Op::kDiv:
    case Op::kMod:
    case Op::kNeg:
    case Op::kMin:
    case Op::kMax:
    case Op::kClamp:
    case Op::kAbs:
    case Op::kSign:
    case Op::kSquare:
    case Op::kFloor:
    case Op::kCeil:
    case Op::kRound:
    case Op::kTrunc:
      if (x.op == Op::kAbs && widest == Type::kComplex) return Type::kFloat;
      return widest == Type::kBool ? Type::kInt : widest;
    case Op::kPow: {
      const auto* exponent = get_if<IntLit>(x.args[1]);
      bool whole = widest == Type::kInt && exponent && exponent->value >= 0;
      return whole ? Type::kInt : widest == Type::kComplex ? widest : Type::kFloat;
    }
    case Op::kCeilDiv:
    case Op::kBitAnd:
    case Op::kBitOr:
    case Op::kBitXor:
    case Op::kBitNot:
    case Op::kShiftLeft:
    case Op::kShiftRight:
      return Type::kInt;
    case Op::kComplex:
    case Op::kConj:
      return Type::kComplex;
    case Op::kReal:
    case Op::kImag:
    case Op::kPhilox:
      return Type::kFloat;
    default:
      return widest == Type::kComplex ? widest : Type::kFloat;
  }
}

Type type_of_reduce(const Reduce& x) {
  switch (x.op) {
    case ReduceOp::kSum:
    case ReduceOp::kProd:
      return x.body->type == Type::kBool ? Type::kInt : x.body->type;
    case ReduceOp::kMax:
    case ReduceOp::kMin:
      return x.body->type;
    case ReduceOp::kMean:
      return x.body->type == Type::kComplex ? Type::kComplex : Type::kFloat;
    case ReduceOp::kAny:
    case ReduceOp::kAll:
      return Type::kBool;
    case ReduceOp::kNamed:
      return Type::kFloat;
    default:
      return Type::kInt;
  }
}

Type type_of(const Node& node) {
  if (std::get_if<NoneLit>(&node)) return Type::kNone;
  if (std::get_if<BoolLit>(&node) || std::get_if<Given>(&node)) return Type::kBool;
  if (std::get_if<IntLit>(&node) || std::get_if<Name>(&node)) return Type::kInt;
  if (std::get_if<FloatLit>(&node) || std::get_if<RoundTo>(&node)) return Type::kFloat;
  if (std::get_if<DTypeLit>(&node)) return Type::kDType;
  if (std::get_if<TextLit>(&node)) return Type::kText;
  if (std::get_if<ShapeLit>(&node)) return Type::kShape;
  if (const auto* x = std::get_if<Apply>(&node)) return type_of_apply(*x);
  if (const auto* x = std::get_if<Select>(&node)) return wider(x->then->type, x->otherwise->type);
  if (const auto* x = std::get_if<Reduce>(&node)) return type_of_reduce(*x);
  if (const auto* x = std::get_if<Call>(&node)) {
    Type widest = Type::kFloat;
    for (const ExprPtr& arg : x->args) widest = wider(widest, arg->type);
    return widest;
  }
  return Type::kUnknown;
}

bool is(const ExprPtr& expr, bool value) {
  const auto* literal = get_if<BoolLit>(expr);
  return literal && literal->value == value;
}

/// `true and x` is x, and so on; null where both sides matter.
ExprPtr decided(const Apply& x) {
  for (std::size_t side : {std::size_t{0}, std::size_t{1}}) {
    const ExprPtr& other = x.args[1 - side];
    if (x.op == Op::kAnd && is(x.args[side], true)) return other;
    if (x.op == Op::kAnd && is(x.args[side], false)) return x.args[side];
    if (x.op == Op::kOr && is(x.args[side], false)) return other;
    if (x.op == Op::kOr && is(x.args[side], true)) return x.args[side];
  }
  return nullptr;
}

ExprPtr folded_apply(const Apply& x, const SourceSpan& span) {
  if (x.op == Op::kAnd || x.op == Op::kOr) return decided(x);
  std::vector<ParamValue> values;
  for (const ExprPtr& arg : x.args) {
    bool none = get_if<NoneLit>(arg) != nullptr;
    values.push_back(literal_value(arg));
    bool compares = x.op == Op::kEq || x.op == Op::kNe;
    if (std::holds_alternative<std::monostate>(values.back()) && !(none && compares))
      return nullptr;
  }
  try {
    return literal(evaluate_op(x.op, values), span);
  } catch (const Error&) {
    return nullptr;  // kept for whoever evaluates it, which may be never
  }
}

}  // namespace

ParamValue literal_value(const ExprPtr& expr) {
  if (const auto* x = get_if<BoolLit>(expr)) return x->value;
  if (const auto* x = get_if<IntLit>(expr)) return x->value;
  if (const auto* x = get_if<FloatLit>(expr)) return x->value;
  if (const auto* x = get_if<DTypeLit>(expr)) return x->value;
  if (const auto* x = get_if<TextLit>(expr)) return x->value;
  return {};
}

ExprPtr literal(const ParamValue& value, const SourceSpan& span) {
  auto make = [&](Node node, Type type) { return make_expr(std::move(node), type, span); };
  if (const auto* x = std::get_if<bool>(&value)) return make(BoolLit{*x}, Type::kBool);
  if (const auto* x = std::get_if<std::int64_t>(&value)) return make(IntLit{*x}, Type::kInt);
  if (const auto* x = std::get_if<double>(&value)) return make(FloatLit{*x}, Type::kFloat);
  if (const auto* x = std::get_if<DType>(&value)) return make(DTypeLit{*x}, Type::kDType);
  if (const auto* x = std::get_if<std::string>(&value)) return make(TextLit{*x}, Type::kText);
  if (const auto* x = std::get_if<Ints>(&value)) {
    ShapeLit list;
    for (std::int64_t item : *x) {
      Subscript subscript;
      subscript.expr = make(IntLit{item}, Type::kInt);
      list.dims.push_back(std::move(subscript));
    }
    return make(std::move(list), Type::kShape);
  }
  return make(NoneLit{}, Type::kNone);
}

ExprPtr folded(Node node, const SourceSpan& span) {
  if (const auto* x = std::get_if<Apply>(&node)) {
    if (ExprPtr simple = folded_apply(*x, span)) return simple;
  }
  if (const auto* x = std::get_if<Select>(&node)) {
    if (is(x->condition, true)) return x->then;
    if (is(x->condition, false)) return x->otherwise;
  }
  if (const auto* x = std::get_if<Coalesce>(&node)) {
    return get_if<NoneLit>(x->value) ? x->fallback : x->value;
  }
  if (auto* x = std::get_if<Reduce>(&node)) {
    if (is(x->filter, true)) x->filter = nullptr;
  }
  Type type = type_of(node);
  return make_expr(std::move(node), type, span);
}

}  // namespace tileops::spec
