// How much work a definition is: the roofline's flops and bytes, and the rates that bound a CPU.
#pragma once

#include <string>
#include <vector>

#include "spec/instance.h"

namespace tileops::lower {

struct OperationCount {
  double flops = 0;      ///< one for each arithmetic operation and function; a product's term is 2
  double functions = 0;  ///< exp, log and the like (not division or square roots), also in flops
  double bytes_read = 0, bytes_written = 0;  ///< each input and output once
};

/// Counts statement by statement; a reduction that does not vary along an axis is counted once for
/// all of it, as any sensible implementation computes it.
OperationCount count_operations(const spec::Instance& instance);

}  // namespace tileops::lower
