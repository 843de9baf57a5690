// Between which integers an expression of an instance lies.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "spec/instance.h"

namespace tileops::spec {

struct Interval {
  std::int64_t lo = 0, hi = 0;
};

/// Indices in scope, and conditions that hold there.
struct Facts {
  std::map<std::string, Interval> indices;
  std::vector<ExprPtr> conditions;
  /// Elements of integer inputs that `requires` bounds, by tensor.
  std::map<std::string, Interval> elements;
};

/// Nothing where the expression depends on data that no fact bounds.
std::optional<Interval> interval_of(const ExprPtr& expr, const Facts& facts);

}  // namespace tileops::spec
