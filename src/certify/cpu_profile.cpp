// Bound = launch floor + the longest of memory, matrix products and functions (design section 7).
#include "certify/cpu_profile.h"

#include <algorithm>

namespace tileops::certify {

double CpuProfile::bound_us(const lower::OperationCount& count, DType dtype, bool cold) const {
  const double bytes = count.bytes_read + count.bytes_written;
  const BandwidthPoint* point = cold || bytes > cache_bytes ? &bandwidth.back() : &bandwidth[0];
  for (const BandwidthPoint& candidate : bandwidth) {
    // The smaller working set is the faster one, which a bound may not fall behind.
    if (!cold && bytes <= cache_bytes && candidate.working_set_bytes <= bytes) point = &candidate;
  }
  const double memory =
      count.bytes_read * point->read_us_per_byte + count.bytes_written * point->write_us_per_byte;
  const auto peak = matmul_per_us.find(dtype);
  const double rate =
      peak == matmul_per_us.end() ? matmul_per_us.at(DType::kFloat32) : peak->second;
  const double work = std::max(count.flops / rate, count.functions / functions_per_us);
  return launch_us + std::max(memory, work);
}

}  // namespace tileops::certify
