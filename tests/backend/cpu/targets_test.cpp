// The row interpreter on every instruction set of the machine, against plain loops in float64.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "backend/cpu/cpu_backend.h"
#include "backend/cpu/row_interpreter.h"
#include "tileops/error.h"

namespace tileops::cpu {
namespace {

using lower::Operand;
using lower::RowInstruction;
using lower::RowProgram;
using lower::RowStep;

class Targets : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override { force_target(GetParam()); }
  void TearDown() override { force_target(""); }
};

RowInstruction load(int index, int result) {
  RowInstruction x;
  x.code = RowInstruction::Code::kLoad;
  x.load = index;
  x.result = result;
  return x;
}

RowInstruction apply(spec::Op op, std::vector<Operand> args, int result) {
  RowInstruction x;
  x.code = RowInstruction::Code::kApply;
  x.op = op;
  x.args = std::move(args);
  x.result = result;
  return x;
}

/// out = f(x) along one row of `columns` elements of a dtype.
RowProgram one_row(std::int64_t columns,
                   DType dtype,
                   std::vector<RowInstruction> code,
                   int source) {
  RowProgram program;
  program.columns = columns;
  program.loads.push_back({0, dtype, 0, {}, {}, 1});
  program.registers = 8;
  program.output = 0;
  program.output_dtype = dtype;
  RowStep step;
  step.kind = RowStep::Kind::kStore;
  step.length = columns;
  step.source = {false, source};
  step.code = std::move(code);
  program.steps.push_back(std::move(step));
  return program;
}

Tensor random_row(std::int64_t columns, DType dtype) {
  Tensor x = Tensor::empty({columns}, dtype);
  std::mt19937 random(3);
  std::normal_distribution<double> normal(0, 4);
  for (std::int64_t i = 0; i < columns; ++i) store_element(x, i, normal(random));
  return x;
}

Tensor run(const RowProgram& program, const Tensor& x) {
  Tensor y = Tensor::empty({program.columns}, program.output_dtype);
  const void* inputs[] = {x.view().data};
  run_rows(program, inputs, y.view().data, {0, 1, 0, program.columns, false});
  return y;
}

TEST_P(Targets, CopiesEveryLengthAndDtype) {
  for (DType dtype : {DType::kFloat32, DType::kFloat16, DType::kBFloat16}) {
    for (std::int64_t n : {0, 1, 7, 15, 16, 17, 511, 512, 513, 1100}) {
      const Tensor x = random_row(n, dtype);
      const Tensor y = run(one_row(n, dtype, {load(0, 0)}, 0), x);
      for (std::int64_t i = 0; i < n; ++i) {
        ASSERT_EQ(load_element(y, i), load_element(x, i))
            << dtype_name(dtype) << " " << n << " " << i;
      }
    }
  }
}

TEST_P(Targets, SiluMatchesItsFormula) {
  RowInstruction silu;
  silu.code = RowInstruction::Code::kCall;
  silu.function = "silu";
  silu.args = {{false, 0}};
  silu.result = 1;
  for (bool fused : {false, true}) {
    RowProgram program = one_row(1024, DType::kFloat32, {load(0, 0), silu}, 1);
    if (fused) lower::fuse_memory(program);
    const Tensor x = random_row(1024, DType::kFloat32);
    const double special[] = {0, -0.0, 88, -88, 200, -200, 1e-30, 64, -64, 65, -65};
    for (std::int64_t i = 0; i < 11; ++i) store_element(x, i, special[i]);
    const Tensor y = run(program, x);
    for (std::int64_t i = 0; i < 1024; ++i) {
      const double v = load_element(x, i), expected = v / (1 + std::exp(-v));
      EXPECT_NEAR(load_element(y, i), expected, 6e-7 * std::abs(expected) + 1e-37) << v;
    }
  }
}

TEST_P(Targets, EdgesOfSiluAreTheFormulas) {
  RowInstruction silu;
  silu.code = RowInstruction::Code::kCall;
  silu.function = "silu";
  silu.args = {{false, 0}};
  silu.result = 1;
  constexpr double kInf = std::numeric_limits<double>::infinity();
  const Tensor x = Tensor::full({64}, DType::kFloat32, 1);
  store_element(x, 0, kInf);
  store_element(x, 1, -kInf);
  store_element(x, 2, std::numeric_limits<double>::quiet_NaN());
  const Tensor y = run(one_row(64, DType::kFloat32, {load(0, 0), silu}, 1), x);
  EXPECT_EQ(load_element(y, 0), kInf);
  EXPECT_TRUE(std::isnan(load_element(y, 1)));
  EXPECT_TRUE(std::isnan(load_element(y, 2)));
}

TEST_P(Targets, NarrowingRoundsToNearestEven) {
  for (DType dtype : {DType::kFloat16, DType::kBFloat16}) {
    RowProgram program =
        one_row(512, dtype, {load(0, 0), apply(spec::Op::kMul, {{false, 0}, {false, 0}}, 1)}, 1);
    const Tensor x = random_row(512, dtype);
    const Tensor y = run(program, x);
    const Tensor expected = Tensor::empty({1}, dtype);
    for (std::int64_t i = 0; i < 512; ++i) {
      const auto v = static_cast<float>(load_element(x, i));
      store_element(expected, 0, static_cast<double>(v * v));
      EXPECT_EQ(load_element(y, i), load_element(expected, 0)) << dtype_name(dtype) << " " << v;
    }
  }
}

TEST_P(Targets, SumsAndExtremesOfEveryLength) {
  for (spec::ReduceOp op :
       {spec::ReduceOp::kSum, spec::ReduceOp::kMax, spec::ReduceOp::kMin, spec::ReduceOp::kMean}) {
    for (std::int64_t n : {1, 15, 16, 31, 512, 513, 2000}) {
      RowProgram program = one_row(1, DType::kFloat32, {}, 0);
      program.scalars = 1;
      program.steps[0].source = {true, 0};
      RowStep reduce;
      reduce.kind = RowStep::Kind::kReduce;
      reduce.reduce = op;
      reduce.length = n;
      reduce.code = {load(0, 0)};
      reduce.source = {false, 0};
      reduce.result = 0;
      program.steps.insert(program.steps.begin(), reduce);
      const Tensor x = random_row(n, DType::kFloat32);
      double sum = 0, largest = load_element(x, 0), smallest = largest;
      for (std::int64_t i = 0; i < n; ++i) {
        sum += load_element(x, i);
        largest = std::max(largest, load_element(x, i));
        smallest = std::min(smallest, load_element(x, i));
      }
      const double y = load_element(run(program, x), 0);
      if (op == spec::ReduceOp::kMax) {
        EXPECT_EQ(y, largest);
      }
      if (op == spec::ReduceOp::kMin) {
        EXPECT_EQ(y, smallest);
      }
      if (op == spec::ReduceOp::kSum) {
        EXPECT_NEAR(y, sum, 1e-3);
      }
      if (op == spec::ReduceOp::kMean) {
        EXPECT_NEAR(y, sum / static_cast<double>(n), 1e-5);
      }
    }
  }
}

std::string label(const testing::TestParamInfo<std::string>& info) {
  return info.param;
}
INSTANTIATE_TEST_SUITE_P(Machine, Targets, testing::ValuesIn(targets()), label);

TEST(ForceTarget, RefusesUnknownNamesAndIsUndone) {
  const std::string best = active_target();
  EXPECT_THROW(force_target("AVX9"), Error);
  EXPECT_EQ(active_target(), best);
  force_target(targets().back());
  EXPECT_EQ(active_target(), targets().back());
  force_target("");
  EXPECT_EQ(active_target(), best);
}

}  // namespace
}  // namespace tileops::cpu
