// Walking and rebuilding nodes by their fields, so that a new kind of node needs nothing here.
#pragma once

#include <type_traits>
#include <utility>

#include "spec/ast.h"

namespace tileops::spec {

namespace rewrite_detail {

template <class T, class F>
void map(T& value, F& f);
template <class F>
void map(ExprPtr& child, F& f) {
  if (child) child = f(child);
}
template <class F>
void map(Subscript& subscript, F& f) {
  map(subscript.expr, f);
}
template <class F>
void map(Binder& binder, F& f) {
  map(binder.lo, f);
  map(binder.hi, f);
}
template <class T, class F>
void map(std::vector<T>& list, F& f) {
  for (T& item : list) map(item, f);
}
template <class T, class F>
void map(T& value, F& f) {
  if constexpr (requires { T::fields(); }) {
    std::apply([&](auto... field) { (map(value.*field, f), ...); }, T::fields());
  }
}

}  // namespace rewrite_detail

/// The same node over children f(child), in the order of its fields.
template <class F>
ExprPtr with_children(const ExprPtr& expr, F f) {
  Expr copy = *expr;
  std::visit([&](auto& node) { rewrite_detail::map(node, f); }, copy.node);
  return std::make_shared<const Expr>(std::move(copy));
}

/// f(child) for each direct child.
template <class F>
void for_each_child(const ExprPtr& expr, F f) {
  auto keep = [&](const ExprPtr& child) {
    f(child);
    return child;
  };
  Node copy = expr->node;
  std::visit([&](auto& node) { rewrite_detail::map(node, keep); }, copy);
}

/// f(node) for the expression and everything below, outermost first.
template <class F>
void for_each_node(const ExprPtr& expr, F&& f) {
  if (!expr) return;
  f(expr);
  for_each_child(expr, [&](const ExprPtr& child) { for_each_node(child, f); });
}

/// f(expression) for every expression of a statement, its target's subscripts included.
template <class F>
void for_each_expr(const Statement& statement, F f) {
  auto keep = [&](const ExprPtr& child) {
    f(child);
    return child;
  };
  Statement copy = statement;
  std::visit([&](auto& node) { rewrite_detail::map(node, keep); }, copy);
}

}  // namespace tileops::spec
