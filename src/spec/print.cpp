// Statements, definitions and instances to canonical text.
#include "spec/print.h"

#include <fmt/format.h>

#include "spec/print_expr.h"

namespace tileops::spec {
namespace {

/// A value before `else` in a statement: a bare reduction would take the `else` for its own.
std::string value_before_else(const ExprPtr& value, bool has_else) {
  const auto* reduce = get_if<Reduce>(value);
  return has_else && reduce && !reduce->otherwise ? "(" + print(value) + ")" : print(value);
}

std::string clause(const char* word, const ExprPtr& expr) {
  return expr ? std::string(" ") + word + " " + print(expr) : "";
}

std::string text(const Define& x) {
  std::string out = print(x.target) + " = " + value_before_else(x.value, x.otherwise != nullptr);
  out += clause("else", x.otherwise) + clause("for", x.domain) + clause("when", x.when);
  if (!x.start) return out;
  Access before = x.target;
  for (std::size_t i = 0; i < before.subscripts.size(); ++i) {
    if (x.indices[i].name == x.recurrence) {
      before.subscripts[i].expr = make_expr(Apply{Op::kNeg, {make_expr(IntLit{1})}});
    }
  }
  return out + " from " + print(before) + " = " + print(x.start);
}

std::string text(const Scatter& x) {
  return print(x.target) + " <- " + print(x.value) + clause("default", x.fallback) +
         clause("for", x.domain) + clause("when", x.when);
}

std::string text(const Helper& x) {
  if (x.composition) {
    return fmt::format("{}({} | {}: {}) := {}", x.name, x.params[0], x.params[1], x.params[2],
                       print(x.body));
  }
  return fmt::format("{}({}) := {}", x.name, fmt::join(x.params, ", "), print(x.body));
}

std::string text(const Let& x) {
  return x.name + " := " + print(x.value);
}

/// `none` at the end of a split's `by` is written `all`.
ExprPtr with_all(const ExprPtr& expr) {
  if (get_if<NoneLit>(expr)) return make_expr(Name{"all"});
  const auto* coalesce = get_if<Coalesce>(expr);
  return coalesce ? make_expr(Coalesce{coalesce->value, with_all(coalesce->fallback)}) : expr;
}

std::string text(const Split& x) {
  const std::string unit = x.unit.empty() ? "" : ", " + x.unit + "...";
  return fmt::format("split {}... by {} -> {}..., {}...{}", x.group, print(with_all(x.by)), x.kept,
                     x.chosen, unit);
}

std::string_view kind_name(TensorInstance::Kind kind) {
  switch (kind) {
    case TensorInstance::Kind::kInput:
      return "input";
    case TensorInstance::Kind::kOutput:
      return "output";
    case TensorInstance::Kind::kLocal:
      return "local";
  }
  return "";
}

}  // namespace

std::string print(const Statement& statement) {
  return std::visit([](const auto& x) { return text(x); }, statement);
}

std::string print(const std::vector<Statement>& definition) {
  std::string out;
  for (const Statement& statement : definition) out += print(statement) + "\n";
  return out;
}

std::string print(const Instance& instance) {
  std::string out;
  for (const TensorInstance& tensor : instance.tensors) {
    out += fmt::format("{} {}[{}]", kind_name(tensor.kind), tensor.name,
                       fmt::join(tensor.shape, ", "));
    if (tensor.kind != TensorInstance::Kind::kLocal) {
      out += fmt::format(": {}", dtype_name(tensor.dtype));
    }
    out += "\n";
  }
  return out + print(instance.statements);
}

}  // namespace tileops::spec
