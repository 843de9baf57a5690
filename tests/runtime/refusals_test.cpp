// Wrong calls: one clear error each, and nothing written.
#include <gtest/gtest.h>
#include <tileops/ops/elementwise.h>
#include <tileops/ops/gemm.h>
#include <tileops/ops/normalization.h>
#include <tileops/ops/reduction.h>

#include <cstring>
#include <functional>
#include <string>

#include "tileops/error.h"

namespace tileops {
namespace {

std::string refusal(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

Tensor ones(std::initializer_list<std::int64_t> shape, DType dtype = DType::kFloat32) {
  return Tensor::full(shape, dtype, 1);
}

/// An output that shows whether anything was written.
class Untouched {
 public:
  Untouched() : tensor_(Tensor::full({2, 3}, DType::kFloat32, -7)) {}
  ~Untouched() {
    for (std::int64_t i = 0; i < 6; ++i) EXPECT_EQ(load_element(tensor_, i), -7) << "written";
  }
  operator const TensorView&() const { return tensor_.view(); }  // NOLINT

 private:
  Tensor tensor_;
};

const SiluAndMulFwdOp& silu() {
  static const SiluAndMulFwdOp op;
  return op;
}

TEST(Refusals, WrongDtype) {
  Untouched y;
  EXPECT_EQ(refusal([&] { silu().into(ones({2, 6}, DType::kInt32), y); }),
            "SiluAndMulFwdOp: x: expected float16 or bfloat16 or float32, got int32; convert x");
}

TEST(Refusals, DtypesThatDiffer) {
  EXPECT_EQ(
      refusal([&] { GemmFwdOp()(ones({2, 4}, DType::kFloat16), ones({3, 4}, DType::kBFloat16)); }),
      "GemmFwdOp: b: expected float16 (as a), got bfloat16; convert b");
}

TEST(Refusals, WrongRank) {
  Untouched y;
  EXPECT_EQ(refusal([&] { silu().into(ones({6}), y); }),
            "SiluAndMulFwdOp: x: expected shape [M, 2 * N], 2 axes, got [6]");
}

TEST(Refusals, WrongShape) {
  EXPECT_EQ(
      refusal([&] { GemmFwdOp()(ones({2, 4}, DType::kFloat16), ones({3, 5}, DType::kFloat16)); }),
      "GemmFwdOp: b: expected shape [N, K] with K = 4 (from a, axis 1), got [3, 5]");
  EXPECT_EQ(refusal([&] { silu()(ones({2, 5})); }),
            "SiluAndMulFwdOp: x: expected shape [M, 2 * N] with axis 1 of the form 2 * N, got "
            "[2, 5]");
}

TEST(Refusals, ABrokenRule) {
  EXPECT_EQ(refusal([&] {
              RMSNormFwdOp({.normalized_shape = {}})(ones({2, 4}, DType::kFloat16),
                                                     ones({}, DType::kFloat16));
            }),
            "RMSNormFwdOp: rule: expected len(normalized_shape) >= 1, got normalized_shape = []");
}

TEST(Refusals, UnknownAndMistypedParameters) {
  const Operator gemm = Operator::find("GemmFwdOp");
  const Tensor a = ones({2, 4}, DType::kFloat16), b = ones({3, 4}, DType::kFloat16);
  const TensorView inputs[] = {a, b};
  EXPECT_EQ(refusal([&] { gemm.call(inputs, {{"trans_c", true}}); }),
            "GemmFwdOp: trans_c: expected one of the parameters `trans_a`, `trans_b`, got an "
            "unknown parameter; did you mean `trans_a`?");
  EXPECT_EQ(refusal([&] { gemm.call(inputs, {{"trans_b", std::int64_t{1}}}); }),
            "GemmFwdOp: trans_b: expected bool, got int 1");
}

TEST(Refusals, AnUnknownOperator) {
  EXPECT_EQ(refusal([] { Operator::find("GemFwdOp"); }),
            "GemFwdOp: expected a known operator, got an unknown name; did you mean `GemmFwdOp`?");
}

TEST(Refusals, NullData) {
  Untouched y;
  TensorView x(nullptr, DType::kFloat32, std::initializer_list<std::int64_t>{2, 6});
  EXPECT_EQ(refusal([&] { silu().into(x, y); }),
            "SiluAndMulFwdOp: x: expected data of the tensor's elements, got a null pointer; pass "
            "memory, or a tensor without elements");
}

TEST(Refusals, SizesThatOverflow) {
  Untouched y;
  TensorView x;
  x.rank = 2;
  x.sizes = {std::int64_t{1} << 40, std::int64_t{1} << 40};
  EXPECT_EQ(refusal([&] { silu().into(x, y); }),
            "SiluAndMulFwdOp: x: expected a number of bytes that fits 64 bits, got "
            "[1099511627776, 1099511627776]");
}

TEST(Refusals, NegativeStrides) {
  Untouched y;
  const Tensor memory = ones({2, 6});
  TensorView x = memory;
  x.steps[0] = -6;
  EXPECT_EQ(refusal([&] { silu().into(x, y); }),
            "SiluAndMulFwdOp: x: expected strides of at least 0, got [-6, 1]; pass a contiguous "
            "copy");
}

TEST(Refusals, OverlapOfOutputAndInput) {
  const Tensor memory = ones({4, 6});
  TensorView y(memory.view().data, DType::kFloat32, std::initializer_list<std::int64_t>{4, 3});
  EXPECT_EQ(refusal([&] { silu().into(memory, y); }),
            "SiluAndMulFwdOp: output: expected memory of its own, got memory that overlaps x; pass "
            "another tensor");
  for (std::int64_t i = 0; i < 24; ++i) EXPECT_EQ(load_element(memory, i), 1);
}

TEST(Refusals, OutputsOfAnotherShapeDtypeOrLayout) {
  const Tensor x = ones({2, 6});
  EXPECT_EQ(refusal([&] { silu().into(x, ones({2, 4})); }),
            "SiluAndMulFwdOp: output: expected shape [2, 3], got [2, 4]");
  EXPECT_EQ(refusal([&] { silu().into(x, ones({2, 3}, DType::kFloat16)); }),
            "SiluAndMulFwdOp: output: expected float32, got float16");
  const Tensor memory = ones({2, 3});
  TensorView twice = memory;
  twice.steps[0] = 0;
  EXPECT_EQ(refusal([&] { silu().into(x, twice); }),
            "SiluAndMulFwdOp: output: expected strides that give each element its own place, got "
            "[0, 1]; pass a contiguous tensor");
}

TEST(Refusals, AnUnknownForcedKernel) {
  const Operator gemm = Operator::find("GemmFwdOp");
  const Tensor a = ones({2, 4}, DType::kFloat16), b = ones({3, 4}, DType::kFloat16);
  const TensorView inputs[] = {a, b};
  EXPECT_EQ(refusal([&] { gemm.call(inputs, {}, {}, {.kernel = "gemm_dnn"}); }),
            "GemmFwdOp: kernel: expected one of `gemm_dnnl`, `derived`, got `gemm_dnn`; did you "
            "mean `gemm_dnnl`?");
}

TEST(Refusals, APreparedCallWithAnotherLayout) {
  const Tensor x = ones({2, 6}), y = ones({2, 3}), longer = ones({3, 6});
  const Prepared prepared = silu().prepare(x, y);
  const TensorView inputs[] = {longer}, outputs[] = {y};
  EXPECT_EQ(refusal([&] { prepared.run(inputs, outputs); }),
            "SiluAndMulFwdOp: x: expected the layout that the call was prepared with, [2, 6], got "
            "[3, 6] with strides [6, 1]; prepare the call again");
}

TEST(Refusals, AFloatAlphaOfIntegers) {
  const Tensor x = ones({2}, DType::kInt32);
  EXPECT_EQ(
      refusal([&] { AddFwdOp({.alpha = 0.5})(x, x); }),
      "AddFwdOp: rule: expected is_floating(input) or not is_floating(alpha), got alpha = 0.5");
}

TEST(Refusals, ShapesThatDoNotBroadcast) {
  EXPECT_EQ(
      refusal([&] { AddFwdOp()(ones({2, 3}), ones({2})); }),
      "AddFwdOp: other: expected leading axes that broadcast with [2, 3] (from input), got [2]");
}

TEST(Refusals, AxesThatAreNotThereOrTwice) {
  EXPECT_EQ(refusal([&] { SumFwdOp({.dim = Ints{0, 2}})(ones({2, 3})); }),
            "SumFwdOp: dim: expected distinct axes between -2 and 1, got [0, 2]");
  EXPECT_EQ(refusal([&] { SumFwdOp({.dim = Ints{1, -1}})(ones({2, 3})); }),
            "SumFwdOp: dim: expected distinct axes between -2 and 1, got [1, -1]");
  EXPECT_EQ(refusal([&] { SoftmaxFwdOp({.dim = std::int64_t{-3}})(ones({2, 3})); }),
            "SoftmaxFwdOp: dim: expected distinct axes between -2 and 1, got [-3]");
  EXPECT_EQ(refusal([&] { SoftmaxFwdOp({.dim = Ints{0}})(ones({2, 3})); }),
            "SoftmaxFwdOp: dim: expected int or none, got ints [0]");
  EXPECT_EQ(refusal([&] { SoftmaxFwdOp()(Tensor::full({}, DType::kFloat32, 1)); }),
            "SoftmaxFwdOp: dim: expected axes to choose from, got a tensor without axes");
}

}  // namespace
}  // namespace tileops
