// What is asked of the oracle stays within the budget and reaches the corners.
#include "certify/budget.h"

#include <gtest/gtest.h>

#include <array>

namespace tileops::certify {
namespace {

TEST(Budget, WholeOutputWhereItIsAffordable) {
  const std::array<std::int64_t, 2> shape{128, 256};
  const auto ranges = ranges_to_judge({shape, 2.0 * 1024, 1}, kWholeOutputFlops, 1);
  ASSERT_EQ(ranges.size(), 1U);
  EXPECT_EQ(ranges[0].begin, 0);
  EXPECT_EQ(ranges[0].end, 128 * 256);
}

TEST(Budget, EmptyOutputHasNothingToJudge) {
  const std::array<std::int64_t, 2> shape{0, 256};
  EXPECT_TRUE(ranges_to_judge({shape, 1, 1}, 1, 1).empty());
}

TEST(Budget, SampledRowsAreWholeAscendingAndReachBothEnds) {
  const std::array<std::int64_t, 2> shape{4096, 7168};
  const double per_element = 2.0 * 2048;
  const auto ranges = ranges_to_judge({shape, per_element, 1}, kWholeOutputFlops, 7);
  ASSERT_GE(ranges.size(), 4U);
  std::int64_t end = -1;
  for (const Range& range : ranges) {
    EXPECT_GT(range.begin, end);
    EXPECT_LT(range.begin, range.end);
    EXPECT_EQ(range.begin % 7168, 0);
    EXPECT_EQ(range.end % 7168, 0);
    end = range.end;
  }
  EXPECT_EQ(ranges.front().begin, 0);
  EXPECT_EQ(end, 4096LL * 7168);
  EXPECT_LE(static_cast<double>(count_elements(ranges)) * per_element, 1.1 * kWholeOutputFlops);
}

TEST(Budget, SharedReductionsAreNeverCut) {
  const std::array<std::int64_t, 3> shape{64, 128, 512};  // rows of 128 * 512 share a reduction
  const auto ranges = ranges_to_judge({shape, 1e6, 128 * 512}, 1e9, 3);
  for (const Range& range : ranges) {
    EXPECT_EQ(range.begin % (128 * 512), 0);
    EXPECT_EQ(range.end % (128 * 512), 0);
  }
}

TEST(Budget, LongRowsAreJudgedInStretches) {
  const std::array<std::int64_t, 2> shape{4096, 24576};
  const double per_element = 2.0 * 16384;  // 0.8 GFLOP a row
  const auto ranges = ranges_to_judge({shape, per_element, 1}, kWholeOutputFlops, 3);
  EXPECT_GE(ranges.size(), 4U);
  EXPECT_LE(static_cast<double>(count_elements(ranges)) * per_element, 2 * kWholeOutputFlops);
}

TEST(Budget, AnotherSeedJudgesOtherRows) {
  const std::array<std::int64_t, 2> shape{4096, 7168};
  const auto first = ranges_to_judge({shape, 4096, 1}, kWholeOutputFlops, 1);
  const auto second = ranges_to_judge({shape, 4096, 1}, kWholeOutputFlops, 2);
  bool differs = first.size() != second.size();
  for (std::size_t i = 0; !differs && i < first.size(); ++i) {
    differs = first[i].begin != second[i].begin;
  }
  EXPECT_TRUE(differs);
}

}  // namespace
}  // namespace tileops::certify
