// Every byte outside the elements is watched, in every layout.
#include "certify/guarded_tensor.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>

#include "certify/elements.h"

namespace tileops::certify {
namespace {

TensorView like(DType dtype) {
  static constexpr std::array<std::int64_t, 2> kShape{3, 5};
  return {nullptr, dtype, kShape};
}

class GuardedTensorTest : public testing::TestWithParam<Layout> {};

TEST_P(GuardedTensorTest, WritingEveryElementDoesNoDamage) {
  const GuardedTensor tensor(like(DType::kBFloat16), GetParam());
  for (std::int64_t i = 0; i < 15; ++i) {
    store_element(tensor.view(), offset_of(tensor.view(), i), 1.0);
  }
  EXPECT_EQ(tensor.damage(), "");
}

TEST_P(GuardedTensorTest, WritingBeforeOrAfterIsSeen) {
  const GuardedTensor tensor(like(DType::kFloat32), GetParam());
  store_element(tensor.view(), -1, 1.0);
  EXPECT_NE(tensor.damage().find("before the first"), std::string::npos);
  const GuardedTensor other(like(DType::kFloat32), GetParam());
  std::int64_t last = 0;
  for (std::int64_t i = 0; i < 15; ++i) last = std::max(last, offset_of(other.view(), i));
  store_element(other.view(), last + 1, 1.0);
  EXPECT_NE(other.damage().find("past the last"), std::string::npos);
}

TEST_P(GuardedTensorTest, HashChangesWithAnyElement) {
  const GuardedTensor tensor(like(DType::kFloat16), GetParam());
  const std::uint64_t before = tensor.hash();
  store_element(tensor.view(), offset_of(tensor.view(), 7), 2.0);
  EXPECT_NE(tensor.hash(), before);
}

INSTANTIATE_TEST_SUITE_P(Layouts,
                         GuardedTensorTest,
                         testing::Values(Layout::kDense,
                                         Layout::kUnaligned,
                                         Layout::kPadded,
                                         Layout::kStrided,
                                         Layout::kTransposed,
                                         Layout::kBroadcast),
                         [](const auto& layout) { return std::string(layout_name(layout.param)); });

TEST(GuardedTensor, GapsBetweenRowsAreGuarded) {
  const GuardedTensor tensor(like(DType::kFloat32), Layout::kPadded);
  store_element(tensor.view(), 5, 1.0);
  EXPECT_NE(tensor.damage().find("gap"), std::string::npos);
}

TEST(GuardedTensor, LayoutsAreWhatTheirNamesSay) {
  const auto steps = [](Layout layout) {
    const GuardedTensor tensor(like(DType::kFloat32), layout);
    return std::pair(tensor.view().steps[0], tensor.view().steps[1]);
  };
  EXPECT_EQ(steps(Layout::kDense), std::pair(5L, 1L));
  EXPECT_EQ(steps(Layout::kPadded), std::pair(8L, 1L));
  EXPECT_EQ(steps(Layout::kStrided), std::pair(10L, 2L));
  EXPECT_EQ(steps(Layout::kTransposed), std::pair(1L, 3L));
  EXPECT_EQ(steps(Layout::kBroadcast), std::pair(0L, 1L));
}

TEST(GuardedTensor, PoisonIsNotANumber) {
  for (const DType dtype : {DType::kFloat16, DType::kBFloat16, DType::kFloat32}) {
    GuardedTensor tensor(like(dtype), Layout::kDense);
    EXPECT_TRUE(std::isnan(element(tensor.view(), 3)));
    tensor.poison(GuardedTensor::kOtherPoison);
    const double other = element(tensor.view(), 3);
    EXPECT_TRUE(std::isnan(other) || std::abs(other) > 1e30) << other;
  }
}

TEST(GuardedTensor, EmptyTensorsAreGuardedToo) {
  constexpr std::array<std::int64_t, 2> kShape{0, 4};
  const GuardedTensor tensor(TensorView(nullptr, DType::kFloat32, kShape), Layout::kDense);
  EXPECT_EQ(tensor.damage(), "");
  store_element(tensor.view(), 0, 1.0);
  EXPECT_NE(tensor.damage(), "");
}

TEST(SameBits, TellsNegativeZeroFromZero) {
  const Tensor zero = Tensor::full({4}, DType::kFloat32, 0.0);
  const Tensor other = Tensor::full({4}, DType::kFloat32, 0.0);
  EXPECT_TRUE(same_bits(zero, other));
  store_element(other, 2, -0.0);
  EXPECT_FALSE(same_bits(zero, other));
}

}  // namespace
}  // namespace tileops::certify
