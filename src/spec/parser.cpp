// Statements, and the way from a text to its nodes. Knows no YAML and does not resolve names.
#include "spec/parser.h"

#include <algorithm>
#include <optional>

#include "spec/build_expr.h"
#include "spec/reader.h"

namespace tileops::spec {

SourceSpan TextPlace::at(std::int32_t text_line,
                         std::int32_t text_column,
                         std::int32_t length) const {
  auto row = std::min(static_cast<std::size_t>(text_line - 1), columns.size() - 1);
  return {file, line + text_line - 1, columns[row] + text_column - 1, length};
}

namespace {

constexpr std::size_t kMaxText = 65536;

/// Target subscripts that are plain names or groups are the indices; others have an empty name.
std::vector<Binder> target_indices(const Access& target) {
  std::vector<Binder> out;
  for (const Subscript& subscript : target.subscripts) {
    Binder binder;
    binder.span = subscript.span;
    binder.group = subscript.kind != Subscript::Kind::kExpr;
    if (binder.group) binder.name = subscript.group;
    if (const auto* name = get_if<Name>(subscript.expr)) binder.name = name->name;
    out.push_back(std::move(binder));
  }
  return out;
}

class StatementBuilder {
 public:
  StatementBuilder(ExprBuilder& exprs, std::vector<Statement>& out) : exprs_(exprs), out_(out) {}

  void add(const SyntaxNode& node) {
    for (const SyntaxNode& child : node.children) {
      if (child.rule == Rule::kWhere) add(child.children.at(0));
    }
    switch (node.rule) {
      case Rule::kLet:
        out_.push_back(Let{name(node), exprs_.expr(node.children.at(1)), exprs_.span(node)});
        break;
      case Rule::kHelper:
        out_.push_back(helper(node));
        break;
      case Rule::kSplit:
        out_.push_back(Split{name(node.children.at(0)), by(node.children.at(1)),
                             name(node.children.at(2)), name(node.children.at(3)),
                             node.children.size() > 4 ? name(node.children.at(4)) : "",
                             exprs_.span(node)});
        break;
      case Rule::kScatter:
        out_.push_back(scatter(node));
        break;
      default:
        out_.push_back(define(node));
    }
  }

 private:
  static std::string name(const SyntaxNode& node) { return std::string(node.children.at(0).text); }

  ExprPtr first(const SyntaxNode& node) { return exprs_.expr(node.children.at(0)); }

  /// `dim ?? all`: all axes are chosen where nothing is given; `all` reads as none.
  ExprPtr by(const SyntaxNode& node) {
    if (node.rule == Rule::kName && node.text == "all") {
      return make_expr(NoneLit{}, Type::kUnknown, exprs_.span(node));
    }
    if (node.rule == Rule::kCoalesce && node.children.size() == 2) {
      return make_expr(Coalesce{by(node.children[0]), by(node.children[1])}, Type::kUnknown,
                       exprs_.span(node));
    }
    return exprs_.expr(node);
  }

  Helper helper(const SyntaxNode& node) {
    Helper out;
    out.name = name(node);
    const SyntaxNode& parameters = node.children.at(1);
    out.composition = parameters.rule == Rule::kCompositionParameters;
    for (const SyntaxNode& child : parameters.children) out.params.emplace_back(child.text);
    out.body = exprs_.expr(node.children.at(2));
    out.span = exprs_.span(node);
    return out;
  }

  Access target(const SyntaxNode& node) {
    const SyntaxNode& inner = node.children.at(0);
    return exprs_.access(inner.rule == Rule::kAccess ? inner : node);
  }

  Define define(const SyntaxNode& node) {
    Define out;
    out.span = exprs_.span(node);
    out.target = target(node.children.at(0));
    out.indices = target_indices(out.target);
    out.value = exprs_.expr(node.children.at(1));
    for (const SyntaxNode& child : node.children) {
      if (child.rule == Rule::kOtherwise) out.otherwise = first(child);
      if (child.rule == Rule::kDomain) out.domain = first(child);
      if (child.rule == Rule::kCondition) out.when = first(child);
      if (child.rule == Rule::kStart) start(out, child);
    }
    return out;
  }

  /// `from S[b, -1, ...] = e`: the index in the place of -1 runs in order.
  void start(Define& out, const SyntaxNode& node) {
    Access before = exprs_.access(node.children.at(0));
    out.start = exprs_.expr(node.children.at(1));
    for (std::size_t i = 0; i < before.subscripts.size() && i < out.indices.size(); ++i) {
      const auto* minus = get_if<Apply>(before.subscripts[i].expr);
      if (minus && minus->op == Op::kNeg) out.recurrence = out.indices[i].name;
    }
    if (before.tensor != out.target.tensor || out.recurrence.empty()) {
      exprs_.problem(node, "`from` must name the target with -1 for the index that runs",
                     out.target.tensor + "[..., -1, ...] = value before the first step");
    }
  }

  Scatter scatter(const SyntaxNode& node) {
    Scatter out;
    out.span = exprs_.span(node);
    out.target = target(node.children.at(0));
    out.value = exprs_.expr(node.children.at(1));
    for (const SyntaxNode& child : node.children) {
      if (child.rule == Rule::kFallback) out.fallback = first(child);
      if (child.rule == Rule::kDomain) out.domain = first(child);
      if (child.rule == Rule::kCondition) out.when = first(child);
    }
    return out;
  }

  ExprBuilder& exprs_;
  std::vector<Statement>& out_;
};

constexpr std::size_t kMaxDepth = 200;

/// Levels of nodes that the tree will become; `a + b + c` leans to the left, a level an operand.
std::size_t depth(const SyntaxNode& node) {
  std::size_t deepest = 0;
  for (const SyntaxNode& child : node.children) deepest = std::max(deepest, depth(child));
  bool list = node.rule == Rule::kAdditive || node.rule == Rule::kMultiplicative ||
              node.rule == Rule::kComparison || node.rule == Rule::kConjunction ||
              node.rule == Rule::kDisjunction || node.rule == Rule::kCoalesce;
  return deepest + (list ? node.children.size() : 1);
}

/// The tree, or nothing and a diagnostic.
std::optional<SyntaxNode> tree(std::string_view text,
                               const TextPlace& place,
                               Root root,
                               const ExprBuilder& spans,
                               Diagnostics& diagnostics) {
  if (text.size() > kMaxText) {
    diagnostics.add({place.at(1, 1, 1),
                     place.op,
                     place.field,
                     "the text is too long",
                     std::to_string(kMaxText) + " bytes at most",
                     std::to_string(text.size()),
                     {}});
    return std::nullopt;
  }
  auto result = parse_syntax(text, root);
  if (auto* node = std::get_if<SyntaxNode>(&result)) {
    if (depth(*node) <= kMaxDepth) return std::move(*node);
    result = SyntaxError{0, {}, true};
  }
  const auto& error = std::get<SyntaxError>(result);
  std::size_t offset = std::min(error.offset, text.size());
  std::string_view rest = text.substr(offset);
  std::size_t word = rest.find_first_of(" \t\n,;()[]=:|", 1);
  std::string_view found = rest.substr(0, word);
  std::string problem = error.too_deep ? "the expression is nested too deeply"
                        : rest.empty() ? "the text ends too early"
                                       : "unexpected `" + std::string(found) + "`";
  diagnostics.add({spans.span_at(offset, std::max<std::size_t>(1, found.size())),
                   place.op,
                   place.field,
                   problem,
                   error.expected,
                   {},
                   error.too_deep ? "name parts of it in a `:=` helper" : ""});
  return std::nullopt;
}

}  // namespace

ExprPtr parse_expression(std::string_view text, const TextPlace& place, Diagnostics& diagnostics) {
  ExprBuilder builder(text, place, diagnostics);
  auto node = tree(text, place, Root::kExpression, builder, diagnostics);
  return node ? builder.expr(*node) : nullptr;
}

std::vector<Statement> parse_definition(std::string_view text,
                                        const TextPlace& place,
                                        Diagnostics& diagnostics) {
  std::vector<Statement> out;
  for (const StatementText& statement : split_statements(text)) {
    TextPlace part = place;
    auto first_row = static_cast<std::size_t>(statement.line - 1);
    part.line += statement.line - 1;
    part.columns.erase(part.columns.begin(),
                       part.columns.begin() + static_cast<std::ptrdiff_t>(
                                                  std::min(first_row, place.columns.size() - 1)));
    std::int32_t rest = part.columns.size() > 1 ? part.columns[1] : part.columns[0];
    if (part.columns.size() == 1) part.columns.push_back(rest);
    part.columns[0] += statement.column - 1;
    ExprBuilder exprs(statement.text, part, diagnostics);
    auto node = tree(statement.text, part, Root::kStatement, exprs, diagnostics);
    if (node) StatementBuilder(exprs, out).add(*node);
  }
  return out;
}

namespace {
TextPlace whole_file(const std::shared_ptr<const SourceFile>& file) {
  TextPlace place;
  place.file = file;
  return place;
}
}  // namespace

ExprPtr parse_expression(std::shared_ptr<const SourceFile> file, Diagnostics& diagnostics) {
  return parse_expression(file->text, whole_file(file), diagnostics);
}
std::vector<Statement> parse_definition(std::shared_ptr<const SourceFile> file,
                                        Diagnostics& diagnostics) {
  return parse_definition(file->text, whole_file(file), diagnostics);
}

}  // namespace tileops::spec
