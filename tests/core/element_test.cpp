// Elements of every dtype: what is stored reads back, with one rounding to nearest even.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>

#include "tileops/error.h"
#include "tileops/tensor.h"

namespace tileops {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

double stored(DType dtype, double value) {
  const Tensor tensor = Tensor::empty({1}, dtype);
  store_element(tensor, 0, value);
  return load_element(tensor, 0);
}

struct Rounding {
  DType dtype;
  double value, expected;
};

class Element : public testing::TestWithParam<Rounding> {};

TEST_P(Element, RoundsToNearestEven) {
  const auto [dtype, value, expected] = GetParam();
  const double sign_plus = stored(dtype, value), sign_minus = stored(dtype, -value);
  if (std::isnan(expected)) {
    EXPECT_TRUE(std::isnan(sign_plus) && std::isnan(sign_minus));
    return;
  }
  EXPECT_EQ(sign_plus, expected);
  EXPECT_EQ(sign_minus, -expected);
  EXPECT_EQ(std::signbit(sign_minus), !std::signbit(expected));
}

INSTANTIATE_TEST_SUITE_P(
    Formats,
    Element,
    testing::Values(
        // float16: 11 bits, largest 65504, half-way to the next power is infinity
        Rounding{DType::kFloat16, 2049, 2048},
        Rounding{DType::kFloat16, 2051, 2052},
        Rounding{DType::kFloat16, 65519.99, 65504},
        Rounding{DType::kFloat16, 65520, kInf},
        Rounding{DType::kFloat16, std::ldexp(1, -25), 0},
        Rounding{DType::kFloat16, std::ldexp(1.5, -25), std::ldexp(1, -24)},
        Rounding{DType::kFloat16, kNan, kNan},
        // One rounding: through float32 the tie would be made first and then broken the wrong way.
        Rounding{DType::kFloat16, 1 + std::ldexp(1, -11) + std::ldexp(1, -40),
                 1 + std::ldexp(1, -10)},
        // bfloat16: 8 bits
        Rounding{DType::kBFloat16, 257, 256},
        Rounding{DType::kBFloat16, 259, 260},
        Rounding{DType::kBFloat16, 3.4e38, kInf},
        Rounding{DType::kBFloat16, 0.0, 0.0},
        // float8: e4m3 has no infinity and ends at 448; e5m2 ends at 57344
        Rounding{DType::kFloat8E4M3, 17, 16},
        Rounding{DType::kFloat8E4M3, 448, 448},
        Rounding{DType::kFloat8E4M3, 1e9, kNan},
        Rounding{DType::kFloat8E5M2, 9, 8},
        Rounding{DType::kFloat8E5M2, 57344, 57344},
        Rounding{DType::kFloat8E5M2, 1e9, kInf},
        Rounding{DType::kFloat32, 1 + std::ldexp(1, -24), 1},
        Rounding{DType::kFloat32, 1e39, kInf},
        Rounding{DType::kFloat64, 0.1, 0.1},
        Rounding{DType::kInt32, 2147483647, 2147483647},
        Rounding{DType::kInt64, 9007199254740992, 9007199254740992}));

TEST(Tensors, KnowTheirLayout) {
  const Tensor tensor = Tensor::empty({2, 3, 4}, DType::kFloat32);
  EXPECT_EQ(tensor.view().numel(), 24);
  EXPECT_EQ(tensor.view().size_bytes(), 96);
  EXPECT_EQ(shape_text(tensor.shape()), "[2, 3, 4]");
  EXPECT_TRUE(tensor.view().is_dense());
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(tensor.view().data) % 128, 0U);
  TensorView strided = tensor;
  strided.steps[2] = 2;
  EXPECT_FALSE(strided.is_dense());
  strided.sizes[1] = 0;
  EXPECT_TRUE(strided.is_dense());
  EXPECT_FALSE(TensorView().given());
}

TEST(Tensors, RefuseSizesThatDoNotFit) {
  const std::int64_t huge = std::int64_t{1} << 40;
  const std::int64_t shape[] = {huge, huge};
  EXPECT_THROW(TensorView(nullptr, DType::kFloat32, shape).numel(), Error);
  const std::int64_t negative[] = {-1};
  EXPECT_THROW(TensorView(nullptr, DType::kFloat32, negative), Error);
  const std::int64_t deep[] = {1, 1, 1, 1, 1, 1, 1, 1, 1};
  EXPECT_THROW(TensorView(nullptr, DType::kFloat32, deep), Error);
}

TEST(Tensors, CrossDlpackUnchanged) {
  TensorView view = Tensor::full({2, 3}, DType::kBFloat16, 1.5);
  view.steps = {1, 2};
  const TensorView again = view_of(to_dlpack(view));
  EXPECT_EQ(again.data, view.data);
  EXPECT_EQ(again.dtype, view.dtype);
  EXPECT_EQ(shape_text(again.strides()), "[1, 2]");
  EXPECT_EQ(shape_text(again.shape()), "[2, 3]");
}

TEST(Errors, AreOneSentenceOfTheirParts) {
  const Error error(ErrorKind::kValue,
                    {"GemmFwdOp", "b", "shape [N, 64]", "[32, 60]", "pass b with 64 columns"});
  EXPECT_STREQ(error.what(),
               "GemmFwdOp: b: expected shape [N, 64], got [32, 60]; pass b with 64 columns");
}

TEST(DTypes, HaveTheirNamesBothWays) {
  for (int i = 0; i < kDTypeCount; ++i) {
    const auto dtype = static_cast<DType>(i);
    EXPECT_EQ(parse_dtype(dtype_name(dtype)), dtype);
  }
  EXPECT_FALSE(parse_dtype("float17").has_value());
}

}  // namespace
}  // namespace tileops
