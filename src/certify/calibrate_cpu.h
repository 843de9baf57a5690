// What this machine can do at best, measured: the rates that a bound is made of.
#pragma once

#include <map>
#include <vector>

#include "certify/progress.h"
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

/// About three seconds. The rate of functions is that of our own loop, by a manifest of its own.
CpuProfile calibrate_cpu(int threads, const Progress& progress);

}  // namespace tileops::certify
