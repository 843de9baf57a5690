// From definitions to rows: what collapses, what is hoisted, and why something has no rows.
#include <gtest/gtest.h>

#include <string>

#include "lower/collapse_axes.h"
#include "lower/operation_count.h"
#include "lower/row_program.h"
#include "spec/instantiate.h"
#include "spec/small_entry.h"

namespace tileops::lower {
namespace {

struct Lowered {
  Lowered(const std::string& inputs,
          const std::string& output,
          const std::string& definition,
          const std::string& workload,
          const spec::Sizes& sizes) {
    const auto [op, functions] = spec::read_entry(
        spec::entry(inputs, "      y: {dtype: float32, shape: \"" + output + "\"}\n", definition,
                    workload + ", dtypes: [float32]"));
    const spec::WorkloadCall call = spec::sized_call(*op, sizes, {}, DType::kFloat32);
    const spec::CallShapes shapes{call.inputs, call.params};
    instance = spec::instantiate(op, functions, shapes, spec::solve_sizes(*op, shapes));
    program = build_scalar_program(
        instance, call.inputs, spec::infer_outputs(*op, shapes, spec::solve_sizes(*op, shapes)));
    rows = lower_to_rows(program, program.outputs[0], {"silu"});
  }
  spec::Instance instance;
  ScalarProgram program;
  RowLowering rows;
};

const std::string kMatrix = "      x: {dtype: float32, shape: \"[M, N]\"}\n";
const spec::Sizes kSizes{{{"M", 4}, {"N", 10}}, {}};

TEST(Rows, APointwiseOperatorIsOneRow) {
  const Lowered l(kMatrix, "[M, N]", "    y[m, n] = silu(x[m, n]) + 1\n", "M: 4, N: 10", kSizes);
  ASSERT_TRUE(l.rows.program) << l.rows.why_not;
  EXPECT_EQ(l.rows.program->rows(), 1);
  EXPECT_EQ(l.rows.program->columns, 40);
}

TEST(Rows, ABroadcastKeepsItsAxis) {
  const Lowered l(kMatrix + "      w: {dtype: float32, shape: \"[N]\"}\n", "[M, N]",
                  "    y[m, n] = x[m, n] * w[n]\n", "M: 4, N: 10", kSizes);
  ASSERT_TRUE(l.rows.program) << l.rows.why_not;
  EXPECT_EQ(l.rows.program->rows(), 4);
  EXPECT_EQ(l.rows.program->columns, 10);
}

TEST(Rows, SoftmaxReducesTwiceAndThenStores) {
  const Lowered l(kMatrix, "[M, N]", "    y[m, n] = softmax(n: x[m, n])\n", "M: 4, N: 10", kSizes);
  ASSERT_TRUE(l.rows.program) << l.rows.why_not;
  int reductions = 0;
  for (const RowStep& step : l.rows.program->steps) {
    reductions += step.kind == RowStep::Kind::kReduce ? 1 : 0;
  }
  EXPECT_EQ(reductions, 2);  // one maximum, however often it is written
}

TEST(Rows, ASingleRowIsStillRows) {
  const Lowered l(kMatrix, "[M, N]", "    r[m] = sum(n: x[m, n])\n    y[m, n] = x[m, n] / r[m]\n",
                  "M: 4, N: 10", {{{"M", 1}, {"N", 10}}, {}});
  ASSERT_TRUE(l.rows.program) << l.rows.why_not;
  EXPECT_EQ(l.rows.program->columns, 10);
}

TEST(Rows, AProductOfRowsRunsAlongItsTerms) {
  const Lowered l(
      "      a: {dtype: float32, shape: \"[M, K]\"}\n"
      "      b: {dtype: float32, shape: \"[N, K]\"}\n",
      "[M, N]", "    y[m, n] = sum(k: a[m, k] * b[n, k])\n", "M: 4, N: 10, K: 3",
      {{{"M", 4}, {"N", 10}, {"K", 3}}, {}});
  ASSERT_TRUE(l.rows.program) << l.rows.why_not;
  EXPECT_EQ(l.rows.program->rows(), 40);
  EXPECT_EQ(l.rows.program->columns, 1);
  EXPECT_EQ(l.rows.program->steps.front().kind, RowStep::Kind::kReduce);
  EXPECT_EQ(l.rows.program->steps.front().length, 3);
}

TEST(Rows, AProductOfColumnsRunsAcross) {
  const Lowered l(
      "      a: {dtype: float32, shape: \"[M, K]\"}\n"
      "      b: {dtype: float32, shape: \"[K, N]\"}\n",
      "[M, N]", "    y[m, n] = sum(k: a[m, k] * b[k, n])\n", "M: 4, N: 10, K: 3",
      {{{"M", 4}, {"N", 10}, {"K", 3}}, {}});
  ASSERT_TRUE(l.rows.program) << l.rows.why_not;
  EXPECT_EQ(l.rows.program->rows(), 4);
  EXPECT_EQ(l.rows.program->columns, 10);
  EXPECT_EQ(l.rows.program->steps.front().kind, RowStep::Kind::kReduceAcross);
  EXPECT_EQ(l.rows.program->steps.front().loops, std::vector<std::int64_t>{3});
}

TEST(Rows, WhatReductionsAcrossShareIsGoneThroughWithin) {
  const Lowered l(kMatrix, "[M, N]", "    y[m, n] = softmax(m: x[m, n])\n", "M: 4, N: 10", kSizes);
  ASSERT_TRUE(l.rows.program) << l.rows.why_not;
  EXPECT_EQ(l.rows.program->rows(), 1);
  EXPECT_EQ(l.rows.program->inner_rows(), 4);
  ASSERT_EQ(l.rows.program->steps.size(), 3U);
  EXPECT_EQ(l.rows.program->steps[0].reduce, spec::ReduceOp::kMax);
  EXPECT_EQ(l.rows.program->steps[1].reduce, spec::ReduceOp::kSum);
}

TEST(Rows, WhatASumComputesIsKeptForTheStore) {
  const Lowered l("      x: {dtype: float32, shape: \"[A, B, C]\"}\n", "[A, B, C]",
                  "    y[a, b, c] = softmax(c: x[a, b, c])\n", "A: 4, B: 5, C: 6",
                  {{{"A", 4}, {"B", 5}, {"C", 6}}, {}});
  ASSERT_TRUE(l.rows.program) << l.rows.why_not;
  EXPECT_EQ(l.rows.program->kept_rows, 1);
  const RowStep& store = l.rows.program->steps.back();
  ASSERT_EQ(store.code.size(), 2U) << print(*l.rows.program);
  EXPECT_EQ(store.code[0].code, RowInstruction::Code::kKept);
}

TEST(Rows, ACheapBodyIsComputedAgain) {
  const Lowered l(kMatrix, "[M, N]", "    y[m, n] = x[m, n] - mean(j in 0..N: x[m, j])\n",
                  "M: 4, N: 10", kSizes);
  ASSERT_TRUE(l.rows.program) << l.rows.why_not;
  EXPECT_EQ(l.rows.program->kept_rows, 0);
}

TEST(Rows, AxesThatDoNotCollapseAreLoops) {
  const Lowered l("      x: {dtype: float32, shape: \"[A, B, C]\"}\n", "[B]",
                  "    y[b] = sum(a, c: x[a, b, c])\n", "A: 4, B: 5, C: 6",
                  {{{"A", 4}, {"B", 5}, {"C", 6}}, {}});
  ASSERT_TRUE(l.rows.program) << l.rows.why_not;
  EXPECT_EQ(l.rows.program->rows(), 5);
  EXPECT_EQ(l.rows.program->steps.front().length, 6);
  EXPECT_EQ(l.rows.program->steps.front().loops, std::vector<std::int64_t>{4});
}

TEST(OperationCount, OfAProductIsTwoForEachTerm) {
  const Lowered l(
      "      a: {dtype: float32, shape: \"[M, K]\"}\n"
      "      b: {dtype: float32, shape: \"[N, K]\"}\n",
      "[M, N]", "    y[m, n] = sum(k: a[m, k] * b[n, k])\n", "M: 4, N: 10, K: 3",
      {{{"M", 4}, {"N", 10}, {"K", 3}}, {}});
  const OperationCount count = count_operations(l.instance);
  EXPECT_EQ(count.flops, 2 * 4 * 10 * 3);
  EXPECT_EQ(count.bytes_read, 4 * (4 * 3 + 10 * 3));
  EXPECT_EQ(count.bytes_written, 4 * 40);
}

TEST(OperationCount, OfARowStatisticIsOnceARow) {
  const Lowered l(kMatrix, "[M, N]", "    y[m, n] = exp(x[m, n]) * sum(n: x[m, n])\n",
                  "M: 4, N: 10", kSizes);
  const OperationCount count = count_operations(l.instance);
  EXPECT_EQ(count.flops, 40 + 40 + 40);  // exponentials, products, terms of the sums
  EXPECT_EQ(count.functions, 40);
}

}  // namespace
}  // namespace tileops::lower
