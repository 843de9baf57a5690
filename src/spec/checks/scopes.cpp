// Roots of expressions by field.
#include "spec/checks/scopes.h"

namespace tileops::spec {

IndexScope inner_scope(const Reduce& reduce, const IndexScope& outer) {
  IndexScope inner = outer;
  for (const Binder& binder : reduce.binders) {
    (binder.group ? inner.groups : inner.indices).insert(binder.name);
  }
  return inner;
}

namespace {

using Visit = std::function<void(const ExprPtr&, const IndexScope&, const std::string&)>;

IndexScope scope_of(const std::vector<Binder>& indices) {
  IndexScope scope;
  scope.allows_data = true;
  for (const Binder& index : indices) {
    if (index.group) scope.groups.insert(index.name);
    if (!index.group && !index.name.empty()) scope.indices.insert(index.name);
  }
  return scope;
}

void visit_statement(const Statement& statement, const Visit& f) {
  const std::string field = "definition";
  auto each = [&](const IndexScope& scope, std::initializer_list<ExprPtr> exprs) {
    for (const ExprPtr& expr : exprs) {
      if (expr) f(expr, scope, field);
    }
  };
  if (const auto* x = std::get_if<Define>(&statement)) {
    each(scope_of(x->indices), {x->value, x->otherwise, x->domain, x->start});
    each({}, {x->when});
  } else if (const auto* s = std::get_if<Scatter>(&statement)) {
    IndexScope scope = scope_of(s->indices);
    for (const Subscript& place : s->target.subscripts) {
      // `out[slot(f)] <- f`: what is not declared in a place is an index of its own.
      const auto* call = get_if<Call>(place.expr);
      if (!call) continue;
      for (const ExprPtr& arg : call->args) {
        if (const auto* name = get_if<Name>(arg)) scope.indices.insert(name->name);
      }
    }
    each(scope, {s->value, s->fallback, s->domain});
    each({}, {s->when});
  } else if (const auto* l = std::get_if<Let>(&statement)) {
    each({}, {l->value});
  } else if (const auto* h = std::get_if<Helper>(&statement)) {
    IndexScope scope;
    scope.allows_data = true;
    scope.indices.insert(h->params.begin(), h->params.end());
    each(scope, {h->body});
  }
}

}  // namespace

void for_each_root(const CheckContext& context, const Visit& f) {
  const OpSpec& op = context.op;
  for (const TensorSpec& tensor : op.inputs) {
    f(tensor.shape, {}, "signature.inputs." + tensor.name + ".shape");
    if (tensor.mutated_when)
      f(tensor.mutated_when, {}, "signature.inputs." + tensor.name + ".mutated");
  }
  for (const TensorSpec& tensor : op.outputs) {
    f(tensor.shape, {}, "signature.outputs." + tensor.name + ".shape");
  }
  for (const ParamSpec& param : op.params) {
    if (param.default_value)
      f(param.default_value, {}, "signature.params." + param.name + ".default");
  }
  for (const Let& let : op.lets) f(let.value, {}, "signature.lets");
  for (const Split& split : op.splits) f(split.by, {}, "signature.split");
  for (const ExprPtr& rule : op.rules) f(rule, {}, "signature.rules");
  for (const Statement& statement : op.definition) visit_statement(statement, f);
  if (op.roofline.flops) f(op.roofline.flops, {}, "roofline.flops");
  if (op.roofline.bytes) f(op.roofline.bytes, {}, "roofline.bytes");
}

}  // namespace tileops::spec
