// A row is the last axis, or more where reductions are shared by more. Where not even a few rows
// fit, stretches of rows do.
#include "certify/budget.h"

#include <algorithm>
#include <array>
#include <random>
#include <set>

namespace tileops::certify {
namespace {

constexpr std::int64_t kFewestRows = 8;  // corners, edges and some random ones
constexpr std::array<std::int64_t, 8> kTileEdges{15, 16, 63, 64, 127, 128, 255, 256};

std::int64_t row_length(const OutputCost& cost, std::int64_t count) {
  const std::int64_t last = cost.shape.empty() ? 1 : cost.shape.back();
  const std::int64_t shared = std::max<std::int64_t>(cost.elements_per_row, 1);
  std::int64_t length = std::max(last, shared);
  // NOTE: rows must not straddle shared reductions.
  if (length % shared != 0) length = (length / shared + 1) * shared;
  return std::clamp<std::int64_t>(length, 1, std::max<std::int64_t>(count, 1));
}

std::vector<Range> merged(const std::set<std::int64_t>& rows,
                          std::int64_t length,
                          std::int64_t count) {
  std::vector<Range> ranges;
  for (const std::int64_t row : rows) {
    const Range range{row * length, std::min(count, (row + 1) * length)};
    if (!ranges.empty() && ranges.back().end == range.begin) {
      ranges.back().end = range.end;
    } else {
      ranges.push_back(range);
    }
  }
  return ranges;
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
    return static_cast<std::int64_t>(budget / (per_element * static_cast<double>(length)));
  };
  while (affordable() < kFewestRows && length > cost.elements_per_row && length > 256) length /= 2;
  const std::int64_t rows = (count + length - 1) / length;
  const std::int64_t wanted = std::clamp<std::int64_t>(affordable(), kFewestRows, rows);

  std::set<std::int64_t> chosen{0, rows - 1};
  for (const std::int64_t edge : kTileEdges) {
    // Half of the rows are random: tile edges at the front must not crowd them out.
    if (edge < rows && 2 * static_cast<std::int64_t>(chosen.size()) < wanted) chosen.insert(edge);
  }
  std::mt19937_64 random(seed);
  while (static_cast<std::int64_t>(chosen.size()) < std::min(wanted, rows)) {
    chosen.insert(static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(rows)));
  }
  return merged(chosen, length, count);
}

std::int64_t count_elements(const std::vector<Range>& ranges) {
  std::int64_t count = 0;
  for (const Range& range : ranges) count += range.end - range.begin;
  return count;
}

}  // namespace tileops::certify
