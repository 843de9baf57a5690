// Which elements of an output the oracle is asked for, so that judging stays affordable.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace tileops::certify {

/// Oracle operations that one case may cost before rows are sampled.
inline constexpr double kWholeOutputFlops = 2e9;
/// Kernel operations above which a case without a library kernel is shrunk.
inline constexpr double kWholeKernelFlops = 20e9;

/// Elements [begin, end) in row-major order.
struct Range {
  std::int64_t begin = 0, end = 0;
};

struct OutputCost {
  std::span<const std::int64_t> shape;
  double per_element = 1;             ///< oracle operations
  std::int64_t elements_per_row = 1;  ///< that share their reductions
};

/// Everything where the budget allows; else whole rows: the corners, rows at tile edges, and random
/// ones. Ascending, without overlaps; never empty unless the output is.
std::vector<Range> ranges_to_judge(const OutputCost& cost, double budget, std::uint64_t seed);

std::int64_t count_elements(const std::vector<Range>& ranges);

}  // namespace tileops::certify
