// Operators on one float, for numbers of a row and for functions without a vector form.
#pragma once

#include <span>

#include "spec/ast.h"

namespace tileops::cpu {

/// bools are 0 and 1. Throws Error(kNotImplemented) for an operator of integers.
float scalar_apply(spec::Op op, std::span<const float> args);
bool has_scalar_form(spec::Op op);

}  // namespace tileops::cpu
