// Substitution of helpers. A composition such as softmax(j | keep: s) names an index of its
// surroundings; each reduction over it inside the body gets an index of its own.
#include "spec/expand.h"

#include <algorithm>

#include "spec/print.h"
#include "spec/rewrite.h"
#include "tileops/error.h"

namespace tileops::spec {

ExprPtr substitute(const ExprPtr& expr, const Substitution& with) {
  if (const auto* name = get_if<Name>(expr)) {
    auto at = with.names.find(name->name);
    return at == with.names.end() ? expr : at->second;
  }
  ExprPtr out = with_children(expr, [&](const ExprPtr& child) { return substitute(child, with); });
  if (with.groups.empty()) return out;
  auto renamed = [&](std::vector<Subscript>& subscripts) {
    for (Subscript& subscript : subscripts) {
      auto at = with.groups.find(subscript.group);
      if (subscript.kind == Subscript::Kind::kGroup && at != with.groups.end()) {
        subscript.group = at->second;
      }
    }
  };
  Expr copy = *out;
  if (auto* access = std::get_if<Access>(&copy.node)) renamed(access->subscripts);
  return std::make_shared<const Expr>(std::move(copy));
}

std::string FreshNames::fresh(const std::string& wish) {
  std::string name = wish;
  for (int i = 1; used_.count(name) != 0; ++i) name = wish + "_" + std::to_string(i);
  used_.insert(name);
  return name;
}

Expander::Expander(const std::vector<Statement>& definition, const Prelude& prelude)
    : prelude_(prelude) {
  for (const Statement& statement : definition) {
    if (const auto* helper = std::get_if<Helper>(&statement)) own_[helper->name] = helper;
    if (const auto* define = std::get_if<Define>(&statement)) {
      for (const Binder& index : define->indices) names_.use(index.name);
    }
    for_each_expr(statement, [&](const ExprPtr& expr) {
      for_each_node(expr, [&](const ExprPtr& node) {
        if (const auto* name = get_if<Name>(node)) names_.use(name->name);
        if (const auto* reduce = get_if<Reduce>(node)) {
          for (const Binder& binder : reduce->binders) names_.use(binder.name);
        }
      });
    });
  }
}

ExprPtr Expander::expand(const ExprPtr& expr) {
  if (!expr) return expr;
  ExprPtr inner = with_children(expr, [&](const ExprPtr& child) { return expand(child); });
  if (const auto* x = get_if<Call>(inner)) return call(inner, *x);
  const auto* reduce = get_if<Reduce>(inner);
  return reduce && reduce->op == ReduceOp::kNamed ? composition(inner, *reduce) : inner;
}

namespace {

Error wrong(const ExprPtr& expr, std::string expected) {
  return Error(ErrorKind::kValue, {{}, print(expr), std::move(expected), {}, {}});
}

/// A binder renamed, and the substitution that says so.
Binder renamed(const Binder& binder, const std::string& name, Substitution& with) {
  Binder out = binder;
  if (binder.group) {
    with.groups[binder.name] = name;
  } else {
    with.names[binder.name] = make_expr(Name{name}, Type::kInt, binder.span);
  }
  out.name = name;
  return out;
}

}  // namespace

ExprPtr Expander::rename_binders(const ExprPtr& expr) {
  ExprPtr inner = with_children(expr, [&](const ExprPtr& child) { return rename_binders(child); });
  const auto* reduce = get_if<Reduce>(inner);
  if (!reduce) return inner;
  Substitution with;
  std::vector<Binder> binders;
  for (const Binder& binder : reduce->binders) {
    binders.push_back(renamed(binder, names_.fresh(binder.name), with));
  }
  ExprPtr out = with_children(inner, [&](const ExprPtr& child) { return substitute(child, with); });
  Expr copy = *out;
  auto& target = std::get<Reduce>(copy.node).binders;
  for (std::size_t i = 0; i < binders.size(); ++i) target[i].name = binders[i].name;
  return std::make_shared<const Expr>(std::move(copy));
}

ExprPtr Expander::body_of(const Helper& helper) {
  if (std::find(open_.begin(), open_.end(), helper.name) != open_.end()) {
    throw Error(ErrorKind::kValue, {{}, helper.name, "a helper that does not use itself", {}, {}});
  }
  open_.push_back(helper.name);
  ExprPtr body = helper.composition ? helper.body : rename_binders(helper.body);
  if (!helper.composition) body = expand(body);
  open_.pop_back();
  return body;
}

ExprPtr Expander::call(const ExprPtr& expr, const Call& call) {
  auto own = own_.find(call.function);
  if (own == own_.end()) return expr;
  const Helper& helper = *own->second;
  if (helper.composition || helper.params.size() != call.args.size()) {
    throw wrong(expr, std::to_string(helper.params.size()) + " arguments");
  }
  Substitution with;
  for (std::size_t i = 0; i < call.args.size(); ++i) with.names[helper.params[i]] = call.args[i];
  return substitute(body_of(helper), with);
}

/// The body with the composition's binder, filter and body in place of its three parameters.
ExprPtr Expander::put_in(const ExprPtr& expr, const Helper& helper, const Reduce& outer) {
  ExprPtr keep = outer.filter ? outer.filter : make_expr(BoolLit{true}, Type::kBool);
  if (const auto* name = get_if<Name>(expr)) {
    if (name->name == helper.params[1]) return keep;
    if (name->name == helper.params[2]) return outer.body;
    return expr;
  }
  const auto* reduce = get_if<Reduce>(expr);
  bool over_binder =
      reduce && reduce->binders.size() == 1 && reduce->binders[0].name == helper.params[0];
  if (!over_binder) {
    return with_children(expr, [&](const ExprPtr& child) { return put_in(child, helper, outer); });
  }
  Substitution with;
  std::vector<Binder> binders;
  for (const Binder& binder : outer.binders) {
    binders.push_back(renamed(binder, names_.fresh(binder.name), with));
  }
  Reduce inner_outer = outer;
  inner_outer.body = substitute(outer.body, with);
  inner_outer.filter = outer.filter ? substitute(outer.filter, with) : nullptr;
  inner_outer.binders = binders;
  Reduce out = *reduce;
  out.binders = binders;
  for (Binder& binder : out.binders) {
    if (binder.lo) binder.lo = substitute(binder.lo, with);
    if (binder.hi) binder.hi = substitute(binder.hi, with);
  }
  const auto* filter = get_if<Name>(reduce->filter);
  bool keeps = filter && filter->name == helper.params[1];
  out.filter = keeps            ? inner_outer.filter
               : reduce->filter ? put_in(reduce->filter, helper, inner_outer)
                                : nullptr;
  out.body = put_in(reduce->body, helper, inner_outer);
  if (out.otherwise) out.otherwise = put_in(out.otherwise, helper, inner_outer);
  return make_expr(std::move(out), expr->type, expr->span);
}

ExprPtr Expander::composition(const ExprPtr& expr, const Reduce& reduce) {
  auto own = own_.find(reduce.name);
  const Helper* helper = own != own_.end() ? own->second : prelude_.find(reduce.name);
  if (!helper || !helper->composition) throw wrong(expr, "a known composition");
  ExprPtr value = expand(put_in(body_of(*helper), *helper, reduce));
  if (!reduce.otherwise) return value;
  // Over nothing the value is `otherwise`: any(j' : keep(j')) decides.
  Reduce any;
  any.op = ReduceOp::kAny;
  Substitution with;
  for (const Binder& binder : reduce.binders) {
    any.binders.push_back(renamed(binder, names_.fresh(binder.name), with));
  }
  any.body =
      reduce.filter ? substitute(reduce.filter, with) : make_expr(BoolLit{true}, Type::kBool);
  return make_expr(Select{make_expr(std::move(any), Type::kBool), value, reduce.otherwise},
                   expr->type, expr->span);
}

}  // namespace tileops::spec
