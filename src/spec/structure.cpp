// Equality and hash through the fields() of each node, so that a new node needs nothing here.
#include "spec/structure.h"

#include <bit>
#include <functional>

namespace tileops::spec {
namespace {

template <class T>
concept HasFields = requires { T::fields(); };

template <class T>
bool same(const T& a, const T& b);

bool same(const ExprPtr& a, const ExprPtr& b) {
  if (a == b || !a || !b) return a == b;
  return a->node.index() == b->node.index() &&
         std::visit(
             [&](const auto& x) { return same(x, std::get<std::decay_t<decltype(x)>>(b->node)); },
             a->node);
}

template <class T>
bool same(const std::vector<T>& a, const std::vector<T>& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!same(a[i], b[i])) return false;
  }
  return true;
}

bool same(double a, double b) {  // nan is itself, and -0 is not 0
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

template <class T>
bool same(const T& a, const T& b) {
  if constexpr (HasFields<T>) {
    return std::apply([&](auto... field) { return (same(a.*field, b.*field) && ...); },
                      T::fields());
  } else {
    return a == b;
  }
}

void mix(std::size_t& seed, std::size_t value) {
  seed ^= value + 0x9e3779b97f4a7c15ULL + (seed << 6) + (seed >> 2);
}

template <class T>
void hash_into(std::size_t& seed, const T& value);

void hash_into(std::size_t& seed, const ExprPtr& expr) {
  mix(seed, expr ? expr->node.index() + 1 : 0);
  if (expr) std::visit([&](const auto& x) { hash_into(seed, x); }, expr->node);
}

template <class T>
void hash_into(std::size_t& seed, const std::vector<T>& list) {
  mix(seed, list.size());
  for (const T& item : list) hash_into(seed, item);
}

template <class T>
void hash_into(std::size_t& seed, const T& value) {
  if constexpr (HasFields<T>) {
    std::apply([&](auto... field) { (hash_into(seed, value.*field), ...); }, T::fields());
  } else if constexpr (std::is_same_v<T, double>) {
    mix(seed, std::hash<std::uint64_t>{}(std::bit_cast<std::uint64_t>(value)));
  } else {
    mix(seed, std::hash<T>{}(value));
  }
}

}  // namespace

bool equal(const ExprPtr& a, const ExprPtr& b) {
  return same(a, b);
}

bool equal(const Statement& a, const Statement& b) {
  return a.index() == b.index() &&
         std::visit([&](const auto& x) { return same(x, std::get<std::decay_t<decltype(x)>>(b)); },
                    a);
}

std::size_t structural_hash(const ExprPtr& expr) {
  std::size_t seed = 0;
  hash_into(seed, expr);
  return seed;
}

}  // namespace tileops::spec
