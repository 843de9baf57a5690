// A sound kernel passes, and what a kernel declines is no failure.
#include "certify/judge_call.h"

#include <gtest/gtest.h>

#include "certify/rows_alone.h"
#include "runtime/engine.h"

namespace tileops::certify {
namespace {

JudgeOptions options() {
  JudgeOptions options;
  options.context.threads = 2;
  return options;
}

Case gemm_case(Layout layout, Data data) {
  const Operator op = runtime::Registry::shipped().find("GemmFwdOp");
  spec::Sizes sizes;
  sizes.axes = {{"M", 33}, {"N", 65}, {"K", 129}};
  return {"case", spec::sized_call(*op.engine().op(), sizes, {}, DType::kBFloat16), layout, data,
          false};
}

TEST(JudgeCall, ASoundKernelPassesWithAMarginBelowOneHalf) {
  const Operator op = runtime::Registry::shipped().find("GemmFwdOp");
  for (const std::string& kernel : op.engine().kernels()) {
    const CaseVerdict verdict =
        judge_call(op, gemm_case(Layout::kPadded, Data::kRandom), kernel, options());
    EXPECT_TRUE(verdict.passed) << kernel << ": " << verdict.why;
    EXPECT_LT(verdict.margin, 0.5) << kernel;
    EXPECT_EQ(verdict.elements, 33 * 65);
    EXPECT_EQ(verdict.judged, 33 * 65);
  }
}

TEST(JudgeCall, ASmallBudgetJudgesSomeRows) {
  const Operator op = runtime::Registry::shipped().find("GemmFwdOp");
  JudgeOptions small = options();
  small.budget = 2.0 * 129 * 65 * 9;  // nine rows
  const CaseVerdict verdict =
      judge_call(op, gemm_case(Layout::kDense, Data::kRandom), "derived", small);
  EXPECT_TRUE(verdict.passed) << verdict.why;
  EXPECT_LT(verdict.judged, verdict.elements);
  EXPECT_GE(verdict.judged, 8 * 65);
}

TEST(JudgeCall, AnUnknownKernelIsAnErrorAndNotAVerdict) {
  const Operator op = runtime::Registry::shipped().find("GemmFwdOp");
  const CaseVerdict verdict =
      judge_call(op, gemm_case(Layout::kDense, Data::kRandom), "no_such_kernel", options());
  EXPECT_FALSE(verdict.passed);
  EXPECT_TRUE(verdict.threw);
}

TEST(RowsAlone, GiveTheSameBits) {
  const Operator op = runtime::Registry::shipped().find("RMSNormFwdOp");
  const auto axes = invariant_axes(*op.engine().op());
  ASSERT_FALSE(axes.empty());
  const CaseVerdict verdict = judge_rows_alone(op, axes[0], DType::kBFloat16, "derived", options());
  EXPECT_TRUE(verdict.applies) << verdict.why;
  EXPECT_TRUE(verdict.passed) << verdict.why;
  EXPECT_EQ(verdict.elements, 5 * 1031);
}

}  // namespace
}  // namespace tileops::certify
