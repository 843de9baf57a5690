// What a CPU can do at best, and the least time that follows for a call. Measures nothing.
#pragma once

#include <map>
#include <vector>

#include "lower/operation_count.h"
#include "tileops/dtype.h"

namespace tileops::certify {

/// Rates with all threads at work on a working set of this size.
struct BandwidthPoint {
  double working_set_bytes = 0;
  double read_us_per_byte = 0, write_us_per_byte = 0;
};

struct CpuProfile {
  int threads = 1;
  double cache_bytes = 0;                 ///< of the last level
  double launch_us = 0;                   ///< a call on one element
  double functions_per_us = 0;            ///< exponentials and divisions, half each, in L2
  std::map<DType, double> matmul_per_us;  ///< flops of the best matrix product, by dtype
  std::vector<BandwidthPoint> bandwidth;  ///< ascending working sets; the last one is memory

  /// The least time of a call: launch floor + the longest of bytes, functions and flops.
  /// `cold`: every byte comes from memory and goes there.
  double bound_us(const lower::OperationCount& count, DType dtype, bool cold) const;
};

}  // namespace tileops::certify
