// A row is the last axis, or more where reductions are shared by more. Where not even a few rows
// fit, stretches of rows do.
#include "certify/budget.h"

#include <algorithm>
#include <random>
#include <set>

namespace tileops::certify {
namespace {

constexpr std::int64_t kFewestRows = 8;
/// Each run of rows costs the oracle a packing of what all rows share, so there are few, longer
/// ones.
constexpr std::int64_t kRuns = 6;
constexpr std::int64_t kTileEdge = 128;

std::int64_t row_length(const OutputCost& cost, std::int64_t count) {
  const std::int64_t last = cost.shape.empty() ? 1 : cost.shape.back();
  const std::int64_t shared = std::max<std::int64_t>(cost.elements_per_row, 1);
  std::int64_t length = std::max(last, shared);
  // NOTE: rows must not straddle shared reductions.
  if (length % shared != 0) length = (length / shared + 1) * shared;
  return std::clamp<std::int64_t>(length, 1, std::max<std::int64_t>(count, 1));
}

/// First and last rows, those around a tile's edge, and random ones: the first rows of runs.
std::set<std::int64_t> run_starts(std::int64_t rows,
                                  std::int64_t run,
                                  std::int64_t runs,
                                  std::uint64_t seed) {
  const std::int64_t last = std::max<std::int64_t>(0, rows - run);
  std::set<std::int64_t> starts{0, last};
  const std::int64_t edge = kTileEdge - run / 2;
  if (edge > 0 && edge < last) starts.insert(edge);
  std::mt19937_64 random(seed);
  for (int tries = 0; static_cast<std::int64_t>(starts.size()) < runs && tries < 64; ++tries) {
    starts.insert(static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(last + 1)));
  }
  return starts;
}

}  // namespace

std::vector<Range> ranges_to_judge(const OutputCost& cost, double budget, std::uint64_t seed) {
  std::int64_t count = 1;
  for (const std::int64_t size : cost.shape) count *= size;
  if (count == 0) return {};
  const double per_element = std::max(cost.per_element, 1.0);
  if (per_element * static_cast<double>(count) <= budget) return {{0, count}};

  std::int64_t length = row_length(cost, count);
  const auto affordable = [&] {
    return static_cast<std::int64_t>(budget / 2 / (per_element * static_cast<double>(length)));
  };
  while (affordable() < kFewestRows && length > cost.elements_per_row && length > 256) length /= 2;
  const std::int64_t rows = (count + length - 1) / length;
  const std::int64_t wanted =
      std::clamp<std::int64_t>(affordable(), std::min(kFewestRows, rows), rows);
  const std::int64_t run = std::max<std::int64_t>(1, wanted / kRuns);

  std::vector<Range> ranges;
  for (const std::int64_t start : run_starts(rows, run, std::max(kRuns, wanted / run), seed)) {
    const Range range{start * length, std::min(count, (start + run) * length)};
    if (!ranges.empty() && range.begin <= ranges.back().end) {
      ranges.back().end = range.end;
    } else {
      ranges.push_back(range);
    }
  }
  return ranges;
}

std::int64_t count_elements(const std::vector<Range>& ranges) {
  std::int64_t count = 0;
  for (const Range& range : ranges) count += range.end - range.begin;
  return count;
}

}  // namespace tileops::certify
