// Edges of evaluation and acceptance: empty sums, nan, infinities, undecided conditions, ranges.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "certify/oracle/rounding.h"
#include "judged.h"

namespace tileops::certify::oracle {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

Judged row_op(const std::string& definition, std::int64_t columns, const std::string& out = "[M]") {
  return Judged(entry("      x: {dtype: float32, shape: \"[M, N]\"}\n",
                      "      y: {dtype: float32, shape: \"" + out + "\"}\n",
                      "    " + definition + "\n", "M: 3, N: 5, dtypes: [float32]"),
                {{{"M", 3}, {"N", columns}}, {}}, DType::kFloat32);
}

TEST(Edges, ReductionsOverNothing) {
  EXPECT_EQ(row_op("y[m] = sum(n: x[m, n])", 0).values().x[0], 0);
  EXPECT_EQ(row_op("y[m] = prod(n: x[m, n])", 0).values().x[0], 1);
  EXPECT_EQ(row_op("y[m] = max(n: x[m, n])", 0).values().x[0], -kInf);
  EXPECT_EQ(row_op("y[m] = max(n: x[m, n]) else 7", 0).values().x[0], 7);
  EXPECT_TRUE(std::isnan(row_op("y[m] = mean(n: x[m, n])", 0).values().x[0]));
}

TEST(Edges, NanAndInfinitiesAreExact) {
  Judged c = row_op("y[m] = sum(n: x[m, n])", 5);
  store_element(c.inputs[0], 0, kInf);
  store_element(c.inputs[0], 5, kNan);
  store_element(c.inputs[0], 10, kInf);
  store_element(c.inputs[0], 11, -kInf);
  const Values v = c.values();
  EXPECT_EQ(v.x[0], kInf);
  EXPECT_TRUE(std::isnan(v.x[1]));
  EXPECT_TRUE(std::isnan(v.x[2]));
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(v.b[i], 0) << i;
  c.put(0, kInf), c.put(1, kNan), c.put(2, kNan);
  EXPECT_TRUE(c.verdict().passed);
  c.put(1, 0);  // nan is no wildcard
  EXPECT_FALSE(c.verdict().passed);
}

TEST(Edges, ARowOfMinusInfinityHasNoSoftmax) {
  Judged c = row_op("y[m, n] = softmax(n: x[m, n])", 5, "[M, N]");
  for (std::int64_t i = 0; i < 5; ++i) store_element(c.inputs[0], i, -kInf);
  const Values v = c.values();
  EXPECT_TRUE(std::isnan(v.x[0]));
  EXPECT_GT(v.x[5], 0);
}

TEST(Edges, SumsBeyondHalfTheRangeAcceptAnything) {
  Judged c = row_op("y[m] = sum(n: x[m, n])", 5);
  store_element(c.inputs[0], 0, 3e38);
  EXPECT_EQ(c.values().b[0], kInf);
  EXPECT_EQ(c.values().b[1], 0);
}

TEST(Edges, AnUndecidedConditionSpansBothBranches) {
  // exp(x) - exp(x) is 0 in truth, and anything of the size of its error in a kernel.
  Judged c = row_op("y[m] = sum(n: exp(x[m, n])) - sum(n: exp(x[m, n])) > 0 ? 5 : 1", 5);
  const Values v = c.values();
  EXPECT_EQ(v.x[0], 1);
  EXPECT_GE(v.b[0], 4);
}

TEST(Edges, AQuotientByAnUncertainZeroIsAPole) {
  Judged c = row_op("y[m] = 1 / (sum(n: exp(x[m, n])) - sum(n: exp(x[m, n])))", 5);
  EXPECT_EQ(c.values().b[0], kInf);
}

TEST(Edges, ThreadsDoNotChangeValues) {
  Judged c = row_op("y[m, n] = exp(x[m, n] - max(n: x[m, n]))", 700, "[M, N]");
  const Values one = c.values(1), two = c.values(2);
  EXPECT_EQ(one.x, two.x);
  EXPECT_EQ(one.e, two.e);
  EXPECT_EQ(one.b, two.b);
}

TEST(Rounding, ToEveryDtype) {
  EXPECT_EQ(rounded(DType::kBFloat16, 1 + 0x1p-9), 1);
  EXPECT_EQ(rounded(DType::kBFloat16, 1 + 3 * 0x1p-8), 1 + 0x1p-6);  // ties to even
  EXPECT_EQ(rounded(DType::kFloat16, 65519.9), 65504);
  EXPECT_EQ(rounded(DType::kFloat16, 65520), kInf);
  EXPECT_EQ(rounded(DType::kFloat16, 0x1p-25), 0);
  EXPECT_EQ(rounded(DType::kFloat8E4M3, 448), 448);
  EXPECT_TRUE(std::isnan(rounded(DType::kFloat8E4M3, 480)));
  EXPECT_EQ(rounded(DType::kFloat8E5M2, 1e9), kInf);
  EXPECT_EQ(rounded_saturating(DType::kFloat8E4M3, 1e9), 448);
  EXPECT_EQ(rounded(DType::kInt8, 7.9), 7);
}

TEST(Acceptance, MarginIsTheDistanceOverTheTolerance) {
  Acceptance acceptance(DType::kFloat32, false, false);
  Tensor y = Tensor::full({1}, DType::kFloat32, 1.5);
  acceptance.add({{1.0}, {0.0}, {1.0}}, y, 0);
  EXPECT_NEAR(acceptance.verdict(1).margin, 0.5, 1e-6);
  EXPECT_TRUE(acceptance.verdict(1).passed);
}

TEST(Acceptance, ABiasedTensorIsRefusedThoughEveryElementFits) {
  constexpr std::int64_t kCount = 8192;
  Acceptance acceptance(DType::kFloat32, false, true);
  Tensor y = Tensor::full({kCount}, DType::kFloat32, 1.003);
  const auto n = static_cast<std::size_t>(kCount);
  acceptance.add(
      {std::vector<double>(n, 1.0), std::vector<double>(n, 1e-3), std::vector<double>(n, 0.0)}, y,
      0);
  EXPECT_FALSE(acceptance.verdict(kCount).passed);
  EXPECT_LT(acceptance.verdict(kCount).margin, 1);
}

}  // namespace
}  // namespace tileops::certify::oracle
