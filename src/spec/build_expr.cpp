// Parse tree to expressions. Knows no YAML and does not resolve names.
#include "spec/build_expr.h"

#include <charconv>
#include <limits>

#include "spec/names.h"

namespace tileops::spec {
namespace {

std::string text_of(const SyntaxNode& node) {
  return std::string(node.text);
}
/// "c..." -> "c"
std::string group_name(const SyntaxNode& node) {
  return text_of(node.children.at(0));
}

Op sign_op(std::string_view sign) {
  for (Op op : {Op::kAdd, Op::kSub, Op::kMul, Op::kDiv, Op::kMod, Op::kEq, Op::kNe, Op::kLt,
                Op::kLe, Op::kGt, Op::kGe}) {
    if (op_name(op) == sign) return op;
  }
  return Op::kAdd;
}

}  // namespace

SourceSpan ExprBuilder::span_at(std::size_t offset, std::size_t length) const {
  std::int32_t line = 1, column = 1;
  for (std::size_t i = 0; i < offset && i < text_.size(); ++i) {
    column = text_[i] == '\n' ? 1 : column + 1;
    line += text_[i] == '\n';
  }
  std::size_t rest = text_.substr(offset).find('\n');
  return place_.at(line, column, static_cast<std::int32_t>(std::min(length, rest)));
}

SourceSpan ExprBuilder::span(const SyntaxNode& node) const {
  return span_at(static_cast<std::size_t>(node.text.data() - text_.data()), node.text.size());
}

void ExprBuilder::problem(const SyntaxNode& node,
                          std::string problem,
                          std::string expected,
                          std::string mend) {
  diagnostics_.add({span(node),
                    place_.op,
                    place_.field,
                    std::move(problem),
                    std::move(expected),
                    {},
                    std::move(mend)});
}

ExprPtr ExprBuilder::apply(const SyntaxNode& node, Op op, std::vector<ExprPtr> args) {
  return make_expr(Apply{op, std::move(args)}, Type::kUnknown, span(node));
}

ExprPtr ExprBuilder::expr(const SyntaxNode& node) {
  auto make = [&](Node value) { return make_expr(std::move(value), Type::kUnknown, span(node)); };
  switch (node.rule) {
    case Rule::kFloat:
    case Rule::kInt:
      return number(node);
    case Rule::kText:
      return make(TextLit{std::string(node.text.substr(1, node.text.size() - 2))});
    case Rule::kNone:
      return make(NoneLit{});
    case Rule::kTrue:
    case Rule::kFalse:
      return make(BoolLit{node.rule == Rule::kTrue});
    case Rule::kInf:
      return make(FloatLit{std::numeric_limits<double>::infinity()});
    case Rule::kNan:
      return make(FloatLit{std::numeric_limits<double>::quiet_NaN()});
    case Rule::kName:
      return name(node);
    case Rule::kGroup:
      return make(GroupRef{group_name(node)});
    case Rule::kShape:
      return make(ShapeLit{subscripts(node)});
    case Rule::kAccess:
      return make(access(node));
    case Rule::kGiven:
      return make(Given{group_name(node)});
    case Rule::kCall:
      return call(node);
    case Rule::kRoundTo:
      return round_to(node);
    case Rule::kReduce:
    case Rule::kNth:
      return reduce(node);
    case Rule::kPower:
      return apply(node, Op::kPow, {expr(node.children.at(0)), expr(node.children.at(1))});
    case Rule::kNegation:
      return apply(node, Op::kNeg, {expr(node.children.at(0))});
    case Rule::kInversion:
      return apply(node, Op::kNot, {expr(node.children.at(0))});
    case Rule::kMultiplicative:
    case Rule::kAdditive:
      return left_to_right(node);
    case Rule::kComparison:
      return chain(node);
    case Rule::kConjunction:
      return joined(node, Op::kAnd);
    case Rule::kDisjunction:
      return joined(node, Op::kOr);
    case Rule::kCoalesce: {
      ExprPtr value = expr(node.children.back());
      for (std::size_t i = node.children.size() - 1; i-- > 0;) {
        value = make(Coalesce{expr(node.children[i]), value});
      }
      return value;
    }
    case Rule::kTernary:
      return make(
          Select{expr(node.children.at(0)), expr(node.children.at(1)), expr(node.children.at(2))});
    default:
      problem(node, "unexpected `" + text_of(node) + "`", "an expression");
      return make(NoneLit{});
  }
}

ExprPtr ExprBuilder::number(const SyntaxNode& node) {
  const char* end = node.text.data() + node.text.size();
  if (node.rule == Rule::kInt) {
    std::int64_t value = 0;
    if (std::from_chars(node.text.data(), end, value).ec != std::errc{}) {
      problem(node, "the integer " + text_of(node) + " is too large", "at most 9223372036854775807",
              "write it as a float, such as 1e30");
    }
    return make_expr(IntLit{value}, Type::kUnknown, span(node));
  }
  double value = 0;
  if (std::from_chars(node.text.data(), end, value).ec != std::errc{}) {
    problem(node, "the number " + text_of(node) + " is out of range", "a float64", "write `inf`");
  }
  return make_expr(FloatLit{value}, Type::kUnknown, span(node));
}

ExprPtr ExprBuilder::name(const SyntaxNode& node) {
  if (auto dtype = parse_dtype(node.text)) {
    return make_expr(DTypeLit{*dtype}, Type::kUnknown, span(node));
  }
  return make_expr(Name{text_of(node)}, Type::kUnknown, span(node));
}

std::vector<Subscript> ExprBuilder::subscripts(const SyntaxNode& node) {
  std::vector<Subscript> out;
  for (const SyntaxNode& child : node.children) {
    Subscript subscript;
    subscript.span = span(child);
    if (child.rule == Rule::kGroup) {
      subscript.kind = Subscript::Kind::kGroup;
      subscript.group = group_name(child);
    } else if (child.rule == Rule::kEllipsis) {
      subscript.kind = Subscript::Kind::kEllipsis;
    } else {
      subscript.expr = expr(child);
    }
    out.push_back(std::move(subscript));
  }
  return out;
}

Access ExprBuilder::access(const SyntaxNode& node) {
  Access out;
  for (const SyntaxNode& child : node.children) {
    if (child.rule == Rule::kIdentifier) out.tensor = text_of(child);
    if (child.rule == Rule::kPrime) out.primed = true;
    if (child.rule == Rule::kSubscripts) out.subscripts = subscripts(child);
  }
  return out;
}

Binder ExprBuilder::binder(const SyntaxNode& node) {
  Binder out;
  out.span = span(node);
  const SyntaxNode& first = node.children.at(0);
  out.group = first.rule == Rule::kGroup;
  out.name = out.group ? group_name(first) : text_of(first);
  if (node.children.size() > 1) {
    out.lo = expr(node.children[1].children.at(0));
    out.hi = expr(node.children[1].children.at(1));
  }
  return out;
}

ExprPtr ExprBuilder::left_to_right(const SyntaxNode& node) {
  ExprPtr value = expr(node.children.at(0));
  for (std::size_t i = 1; i + 1 < node.children.size(); i += 2) {
    value = apply(node, sign_op(node.children[i].text), {value, expr(node.children[i + 1])});
  }
  return value;
}

ExprPtr ExprBuilder::chain(const SyntaxNode& node) {
  ExprPtr all, left = expr(node.children.at(0));
  for (std::size_t i = 1; i + 1 < node.children.size(); i += 2) {
    ExprPtr right = expr(node.children[i + 1]);
    ExprPtr link = apply(node, sign_op(node.children[i].text), {left, right});
    all = all ? apply(node, Op::kAnd, {all, link}) : link;
    left = right;
  }
  return all;
}

ExprPtr ExprBuilder::joined(const SyntaxNode& node, Op op) {
  ExprPtr value = expr(node.children.at(0));
  for (std::size_t i = 1; i < node.children.size(); ++i) {
    value = apply(node, op, {value, expr(node.children[i])});
  }
  return value;
}

ExprPtr ExprBuilder::call(const SyntaxNode& node) {
  std::string function = text_of(node.children.at(0));
  std::vector<ExprPtr> args;
  for (std::size_t i = 1; i < node.children.size(); ++i) args.push_back(expr(node.children[i]));
  auto op = function_op(function);
  if (!op) return make_expr(Call{std::move(function), std::move(args)}, Type::kUnknown, span(node));
  Arity arity = op_arity(*op);
  auto count = static_cast<int>(args.size());
  if (count < arity.least || count > arity.most) {
    problem(node, "`" + function + "` takes " + std::to_string(arity.least) + " argument" +
                      (arity.least == 1 ? "" : "s") + ", not " + std::to_string(count));
    args.resize(static_cast<std::size_t>(arity.least), make_expr(IntLit{0}));
  }
  return apply(node, *op, std::move(args));
}

ExprPtr ExprBuilder::round_to(const SyntaxNode& node) {
  RoundTo out;
  out.dtype = expr(node.children.at(0));
  out.value = expr(node.children.at(1));
  out.saturate = node.children.size() > 2;
  return make_expr(std::move(out), Type::kUnknown, span(node));
}

ExprPtr ExprBuilder::reduce(const SyntaxNode& node) {
  Reduce out;
  if (node.rule == Rule::kNth) out.op = ReduceOp::kNth;
  for (const SyntaxNode& child : node.children) {
    switch (child.rule) {
      case Rule::kIdentifier: {
        auto op = parse_reduce(child.text);
        out.op = op.value_or(ReduceOp::kNamed);
        if (!op) out.name = text_of(child);
        break;
      }
      case Rule::kBinder:
        out.binders.push_back(binder(child));
        break;
      case Rule::kFilter:
        out.filter = expr(child.children.at(0));
        break;
      case Rule::kOrder:
        out.direction = child.text == "descending" ? Direction::kDescending : Direction::kAscending;
        break;
      case Rule::kTies: {
        auto ties = parse_ties(child.children.back().text);
        if (!ties) problem(child, "unknown rule for ties", "ties first, ties last or ties any");
        out.ties = ties.value_or(Ties::kAny);
        break;
      }
      case Rule::kNanRule: {
        auto rule = parse_nan_rule(child.children.back().text);
        if (!rule) problem(child, "unknown rule for nan", "nan first, last, propagate or ignore");
        out.nan = rule.value_or(NanRule::kPropagate);
        break;
      }
      case Rule::kReduceElse:
        out.otherwise = expr(child.children.at(0));
        break;
      default:  // the rank of nth stands before its binders, a body behind them
        (out.op == ReduceOp::kNth && out.binders.empty() ? out.rank : out.body) = expr(child);
    }
  }
  return make_expr(std::move(out), Type::kUnknown, span(node));
}

}  // namespace tileops::spec
