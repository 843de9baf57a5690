// Equality and hash of nodes by their fields, whatever text they came from and whatever types the
// checker found.
#pragma once

#include <cstddef>

#include "spec/ast.h"

namespace tileops::spec {

bool equal(const ExprPtr& a, const ExprPtr& b);
bool equal(const Statement& a, const Statement& b);
std::size_t structural_hash(const ExprPtr& expr);

/// For maps keyed by meaning: std::unordered_map<ExprPtr, T, ExprHash, ExprEqual>.
struct ExprHash {
  std::size_t operator()(const ExprPtr& expr) const { return structural_hash(expr); }
};
struct ExprEqual {
  bool operator()(const ExprPtr& a, const ExprPtr& b) const { return equal(a, b); }
};

}  // namespace tileops::spec
