#include "spec/is_instance.h"

#include <algorithm>
#include <set>

#include "spec/print.h"
#include "spec/print_expr.h"
#include "spec/rewrite.h"

namespace tileops::spec {
namespace {

class Walker {
 public:
  explicit Walker(const Instance& instance) : instance_(instance) {}

  std::string statement(const Statement& statement) {
    if (const auto* define = std::get_if<Define>(&statement)) {
      for (const Binder& index : define->indices) bind(index);
      check_access(define->target, print(statement));
      if (define->when || define->otherwise) fail(print(statement));
      for (const ExprPtr& part : {define->value, define->domain, define->start}) check(part);
    } else if (const auto* scatter = std::get_if<Scatter>(&statement)) {
      for (const Binder& index : scatter->indices) bind(index);
      if (scatter->when) fail(print(statement));
      for (const ExprPtr& part : {scatter->value, scatter->fallback, scatter->domain}) check(part);
    } else {
      fail(print(statement));
    }
    return why_;
  }

 private:
  void fail(const std::string& what) {
    if (why_.empty()) why_ = "`" + what + "`";
  }

  void bind(const Binder& index) {
    if (index.group || !index.lo || !index.hi) fail("index " + index.name);
    check(index.lo);
    check(index.hi);
    if (!indices_.insert(index.name).second) fail("index " + index.name + ", twice");
  }

  void check_access(const Access& access, const std::string& text) {
    const TensorInstance* tensor =
        instance_.find(access.primed ? access.tensor + "'" : access.tensor);
    const bool plain =
        std::all_of(access.subscripts.begin(), access.subscripts.end(),
                    [](const Subscript& s) { return s.kind == Subscript::Kind::kExpr; });
    if (!tensor || !plain || access.subscripts.size() != tensor->shape.size()) fail(text);
  }

  void check(const ExprPtr& expr) {
    if (!expr || !why_.empty()) return;
    if (const auto* reduce = get_if<Reduce>(expr)) return check_reduce(*reduce, expr);
    if (const auto* name = get_if<Name>(expr)) {
      if (!indices_.count(name->name)) fail(print(expr));
      return;
    }
    if (const auto* access = get_if<Access>(expr)) check_access(*access, print(expr));
    if (const auto* call = get_if<Call>(expr)) {
      const auto& helpers = instance_.prelude->helpers;
      const bool known = std::any_of(helpers.begin(), helpers.end(), [&](const Helper& helper) {
        return helper.name == call->function && !helper.composition;
      });
      if (!known) fail(print(expr));
    }
    const bool allowed = get_if<BoolLit>(expr) || get_if<IntLit>(expr) || get_if<FloatLit>(expr) ||
                         get_if<DTypeLit>(expr) || get_if<Access>(expr) || get_if<Apply>(expr) ||
                         get_if<Select>(expr) || get_if<RoundTo>(expr) || get_if<Call>(expr);
    if (!allowed) fail(print(expr));
    for_each_child(expr, [&](const ExprPtr& child) { check(child); });
  }

  void check_reduce(const Reduce& reduce, const ExprPtr& expr) {
    if (reduce.op == ReduceOp::kNamed) fail(print(expr));
    const std::set<std::string> outer = indices_;
    for (const Binder& index : reduce.binders) bind(index);
    for (const ExprPtr& part : {reduce.filter, reduce.body, reduce.rank}) check(part);
    indices_ = outer;
    check(reduce.otherwise);
  }

  const Instance& instance_;
  std::set<std::string> indices_;
  std::string why_;
};

}  // namespace

std::string why_no_instance(const Instance& instance) {
  for (const Statement& statement : instance.statements) {
    std::string why = Walker(instance).statement(statement);
    if (!why.empty()) return why + " in " + print(statement);
  }
  return {};
}

}  // namespace tileops::spec
