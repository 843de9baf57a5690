// One operator on known values, exactly on integers.
#pragma once

#include <span>

#include "spec/ast.h"
#include "tileops/param.h"

namespace tileops::spec {

/// Throws Error whose `expected` says what the operator needs (overflow, division by zero, types).
ParamValue evaluate_op(Op op, std::span<const ParamValue> args);

/// Floor division and its remainder, as the language means `/` and `%`.
inline std::int64_t floor_div(std::int64_t a, std::int64_t b) {
  return a / b - ((a % b != 0 && (a < 0) != (b < 0)) ? 1 : 0);
}
inline std::int64_t floor_mod(std::int64_t a, std::int64_t b) {
  return a - floor_div(a, b) * b;
}

}  // namespace tileops::spec
