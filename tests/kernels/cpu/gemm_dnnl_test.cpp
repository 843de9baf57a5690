// Integers small enough that every partial sum is exact: each layout and dtype must agree bit for
// bit.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <tuple>
#include <vector>

#include "tileops/kernel.h"

namespace tileops::kernels {

const KernelDescriptor& gemm_dnnl();

namespace {

struct Shape {
  std::int64_t M, N, K;
};

double entry(std::int64_t row, std::int64_t column, int salt) {
  return static_cast<double>((row * 7 + column * 3 + salt) % 5 - 2);
}

/// A matrix of integers, stored transposed if asked, its lines `gap` elements further apart.
struct Matrix {
  Matrix(std::int64_t rows, std::int64_t columns, DType dtype, bool transposed, std::int64_t gap) {
    const std::int64_t lines = transposed ? columns : rows, length = transposed ? rows : columns;
    memory.resize(static_cast<std::size_t>(lines * (length + gap) + 1) * 8);
    const std::vector<std::int64_t> shape{lines, length};
    view = TensorView(memory.data(), dtype, shape);
    view.steps[0] = length + gap;
  }
  void fill(bool transposed, int salt) {
    for (std::int64_t line = 0; line < view.sizes[0]; ++line) {
      for (std::int64_t i = 0; i < view.sizes[1]; ++i) {
        store_element(view, line * view.steps[0] + i,
                      transposed ? entry(i, line, salt) : entry(line, i, salt));
      }
    }
  }
  std::vector<std::byte> memory;
  TensorView view;
};

void run_kernel(const KernelCall& call) {
  const KernelDescriptor& kernel = gemm_dnnl();
  ASSERT_TRUE(kernel.applies(call, {}).yes);
  const auto workspace = Tensor::empty(
      {static_cast<std::int64_t>(kernel.workspace_bytes(call, {})) + 128}, DType::kUInt8);
  const void* inputs[] = {call.inputs[0].data, call.inputs[1].data};
  void* outputs[] = {call.outputs[0].data};
  const Launch launch = kernel.launch(call, {});
  launch.host->run({inputs, outputs, workspace.view().data, call.threads});
}

class GemmDnnl : public testing::TestWithParam<std::tuple<DType, bool, bool, Shape, int>> {};

TEST_P(GemmDnnl, EqualsIntegerSums) {
  const auto [dtype, trans_a, trans_b, shape, gap] = GetParam();
  const auto [M, N, K] = shape;
  Matrix a(M, K, dtype, trans_a, gap), b(K, N, dtype, trans_b, gap), d(M, N, dtype, false, gap);
  a.fill(trans_a, 1);
  b.fill(trans_b, 2);
  const TensorView inputs[] = {a.view, b.view}, outputs[] = {d.view};
  const ParamValue params[] = {trans_a, trans_b};
  run_kernel({"GemmFwdOp", inputs, outputs, params, 2, nullptr});
  for (std::int64_t m = 0; m < M; ++m) {
    for (std::int64_t n = 0; n < N; ++n) {
      double sum = 0;
      for (std::int64_t k = 0; k < K; ++k) sum += entry(m, k, 1) * entry(k, n, 2);
      ASSERT_LE(std::abs(sum), 256);
      ASSERT_EQ(load_element(d.view, m * d.view.steps[0] + n), sum) << m << ", " << n;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Layouts,
    GemmDnnl,
    testing::Combine(testing::Values(DType::kFloat16, DType::kBFloat16, DType::kFloat32),
                     testing::Bool(),
                     testing::Bool(),
                     testing::Values(Shape{1, 1, 1},
                                     Shape{3, 5, 7},
                                     Shape{1, 33, 17},
                                     Shape{33, 1, 64},
                                     Shape{65, 31, 40},
                                     Shape{4, 3, 0}),
                     testing::Values(0, 3)));

TEST(GemmDnnlDescriptor, AsksForDenseOperandsWhereNoAxisIsContiguous) {
  Matrix a(4, 6, DType::kBFloat16, false, 0), b(6, 5, DType::kBFloat16, false, 0),
      d(4, 5, DType::kBFloat16, false, 0);
  const ParamValue params[] = {false, false};
  a.view.steps = {12, 2};
  b.view.steps = {0, 1};
  const TensorView inputs[] = {a.view, b.view}, outputs[] = {d.view};
  const Applies answer =
      gemm_dnnl().applies({"GemmFwdOp", inputs, outputs, params, 1, nullptr}, {});
  EXPECT_TRUE(answer.yes);
  EXPECT_EQ(answer.dense_inputs, 3U);
}

TEST(GemmDnnlDescriptor, RefusesByReason) {
  Matrix a(4, 6, DType::kInt32, false, 0), b(6, 5, DType::kInt32, false, 0),
      d(4, 5, DType::kInt32, false, 0);
  const ParamValue params[] = {false, false};
  const TensorView inputs[] = {a.view, b.view}, outputs[] = {d.view};
  KernelCall call{"GemmFwdOp", inputs, outputs, params, 1, nullptr};
  EXPECT_EQ(gemm_dnnl().applies(call, {}).reason, "int32 is neither float16, bfloat16 nor float32");
  call.params = {};
  EXPECT_EQ(gemm_dnnl().applies(call, {}).reason,
            "it takes two matrices and whether each is transposed");
}

}  // namespace
}  // namespace tileops::kernels
