// Where the reals that are stored as y end, against stores themselves on both sides of each end.
#include "certify/oracle/rounding.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

#include "certify/oracle/block.h"
#include "tileops/tensor.h"

namespace tileops::certify::oracle {
namespace {

class StoredAs : public testing::TestWithParam<DType> {
 protected:
  static double decoded(std::uint16_t bits) {
    TensorView one;
    one.data = &bits;
    one.rank = 0;
    one.dtype = GetParam();
    return load_element(one, 0);
  }
};

/// From a point `x` outside, moving by the distance reaches a real that is stored as y (or the end
/// itself, which goes to an even neighbour), and moving by a little less does not.
void expect_end(DType dtype, double x, double y) {
  const double distance = distance_to_rounding(dtype, x, y);
  ASSERT_GT(distance, 0) << x << " " << y;
  ASSERT_TRUE(std::isfinite(distance)) << x << " " << y;
  const double direction = x < y ? 1 : -1;
  const double inside = x + direction * distance * (1 + 0x1p-40);
  const double outside = x + direction * distance * (1 - 0x1p-40);
  EXPECT_EQ(rounded(dtype, inside), y) << x;
  EXPECT_NE(rounded(dtype, outside), y) << x;
}

TEST_P(StoredAs, EndsHalfWayToItsNeighbours) {
  const DType dtype = GetParam();
  const auto codes = static_cast<std::uint32_t>(1) << (8 * size_bytes(dtype));
  for (std::uint32_t code = 0; code < codes; ++code) {
    const double y = decoded(static_cast<std::uint16_t>(code));
    if (std::isnan(y)) continue;
    EXPECT_EQ(distance_to_rounding(dtype, y, y), 0);
    if (std::isinf(y)) {
      expect_end(dtype, std::copysign(1, y), y);
      continue;
    }
    const double away = 2 * (y == 0 ? decoded(1) : std::abs(y));
    expect_end(dtype, y - away, y);
    expect_end(dtype, y + away, y);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Floats,
    StoredAs,
    testing::Values(DType::kBFloat16, DType::kFloat16, DType::kFloat8E5M2, DType::kFloat8E4M3),
    [](const auto& test) { return std::string(dtype_name(test.param)); });

TEST(DistanceToRounding, OfFloat32IsHalfASpacing) {
  const double y = 1, spacing = 0x1p-23;
  EXPECT_DOUBLE_EQ(distance_to_rounding(DType::kFloat32, 1 + 3 * spacing, y), 2.5 * spacing);
  EXPECT_DOUBLE_EQ(distance_to_rounding(DType::kFloat32, 1 - 3 * spacing, y), 2.75 * spacing);
  EXPECT_EQ(distance_to_rounding(DType::kFloat32, 1 + spacing / 4, y), 0);
}

TEST(DistanceToRounding, OfIntegersFollowsTruncation) {
  EXPECT_EQ(distance_to_rounding(DType::kInt32, 2.9, 2), 0);
  EXPECT_DOUBLE_EQ(distance_to_rounding(DType::kInt32, 3.5, 2), 0.5);
  EXPECT_DOUBLE_EQ(distance_to_rounding(DType::kInt32, 1.5, 2), 0.5);
  EXPECT_DOUBLE_EQ(distance_to_rounding(DType::kInt32, -1.5, 0), 0.5);
  EXPECT_DOUBLE_EQ(distance_to_rounding(DType::kInt32, 0.5, -2), 2.5);
}

TEST(DistanceToRounding, OfNansAndInfinitiesIsAllOrNothing) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(distance_to_rounding(DType::kFloat16, nan, nan), 0);
  EXPECT_EQ(distance_to_rounding(DType::kFloat16, 1, nan), kInfinity);
  EXPECT_EQ(distance_to_rounding(DType::kFloat16, nan, 1), kInfinity);
  EXPECT_EQ(distance_to_rounding(DType::kFloat16, kInfinity, 65504), kInfinity);
  EXPECT_EQ(distance_to_rounding(DType::kFloat16, 65000, kInfinity), 520);
}

}  // namespace
}  // namespace tileops::certify::oracle
