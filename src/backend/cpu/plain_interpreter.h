// Runs any scalar program, element by element: correct for whatever the language can say, and slow.
#pragma once

#include "lower/scalar_program.h"

namespace tileops::cpu {

/// Throws Error(kNotImplemented) naming what it cannot run; never at run time.
void check_plain(const lower::ScalarProgram& program);

/// Elements [begin, end) of an output, in row-major order of its axes.
void run_plain(const lower::ScalarProgram& program,
               const lower::OutputProgram& output,
               const void* const* inputs,
               void* to,
               std::int64_t begin,
               std::int64_t end);

}  // namespace tileops::cpu
