// Neighbouring axes that memory does not tell apart become one.
#pragma once

#include "lower/scalar_program.h"

namespace tileops::lower {

/// Values that an output needs, arguments first.
std::vector<int> needed_values(const ScalarProgram& program, int value);

/// Drops axes of size 1, and merges neighbours wherever every access steps over them as over one.
/// Variables of `program` change their sizes; the axes of `output` and of reductions get fewer.
void collapse_axes(ScalarProgram& program, OutputProgram& output);

}  // namespace tileops::lower
