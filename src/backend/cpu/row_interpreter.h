// Runs a row program on memory. One source for all instruction sets; the best one of the machine is
// chosen at run time (targets.cpp forces another).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lower/row_program.h"

namespace tileops::cpu {

/// Functions of the prelude that the interpreter has as one instruction.
const std::vector<std::string>& row_primitives();

/// Rows [row_begin, row_end), columns [column_begin, column_end). Programs with reductions take
/// whole rows. `stream`: the output is too large for the caches, so it is written around them.
struct RowRange {
  std::int64_t row_begin = 0, row_end = 0;
  std::int64_t column_begin = 0, column_end = 0;
  bool stream = false;
  int threads = 1;  ///< for long reductions and rows within; results do not depend on it
};

void run_rows(const lower::RowProgram& program,
              const void* const* inputs,
              void* output,
              const RowRange& range);

}  // namespace tileops::cpu
