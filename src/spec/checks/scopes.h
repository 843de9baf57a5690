// Walks every expression of an entry with the indices that are in scope around it.
#pragma once

#include <functional>
#include <set>
#include <string>

#include "spec/checks/context.h"

namespace tileops::spec {

/// Names that an expression may use besides the entry's symbols.
struct IndexScope {
  std::set<std::string> indices, groups;
  bool allows_data = false;  ///< elements of tensors may be read
};

/// f(expression, its scope, the field it stands in), outermost expressions only. A reduction's
/// parts are visited with its binders by whoever walks on (`inner_scope`).
void for_each_root(
    const CheckContext& context,
    const std::function<void(const ExprPtr&, const IndexScope&, const std::string&)>& f);

/// The scope inside a reduction.
IndexScope inner_scope(const Reduce& reduce, const IndexScope& outer);

}  // namespace tileops::spec
