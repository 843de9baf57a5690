// Inputs are reproducible, and each kind of data brings what it names.
#include "certify/inputs/input_data.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <utility>

#include "certify/guarded_tensor.h"
#include "tileops/error.h"

namespace tileops::certify {
namespace {

Tensor filled(DType dtype, Data data, std::uint64_t seed = 1, int threads = 1) {
  const Tensor tensor = Tensor::empty({64, 257}, dtype);
  fill_input(tensor, "values", data, seed, threads);
  return tensor;
}

std::int64_t count(const Tensor& tensor, const std::function<bool(double)>& is) {
  std::int64_t found = 0;
  for (std::int64_t i = 0; i < tensor.view().numel(); ++i) found += is(load_element(tensor, i));
  return found;
}

TEST(InputData, SameSeedSameBitsOnAnyNumberOfThreads) {
  EXPECT_TRUE(same_bits(filled(DType::kBFloat16, Data::kMixed, 5, 1),
                        filled(DType::kBFloat16, Data::kMixed, 5, 2)));
  EXPECT_FALSE(same_bits(filled(DType::kBFloat16, Data::kRandom, 5),
                         filled(DType::kBFloat16, Data::kRandom, 6)));
}

TEST(InputData, RandomValuesAreAboutNormal) {
  const Tensor tensor = filled(DType::kFloat32, Data::kRandom);
  double sum = 0, squares = 0;
  const auto n = static_cast<double>(tensor.view().numel());
  for (std::int64_t i = 0; i < tensor.view().numel(); ++i) {
    const double value = load_element(tensor, i);
    sum += value;
    squares += value * value;
  }
  EXPECT_NEAR(sum / n, 0, 0.03);  // four standard errors
  EXPECT_NEAR(squares / n, 1, 0.04);
}

TEST(InputData, RandomFloat32HasRandomLowBits) {
  const Tensor tensor = filled(DType::kFloat32, Data::kRandom);
  std::int64_t odd = 0;
  for (std::int64_t i = 0; i < 4096; ++i) {
    std::uint32_t bits = 0;
    std::memcpy(&bits, tensor.data<float>() + i, sizeof bits);
    odd += bits & 1;
  }
  EXPECT_NEAR(static_cast<double>(odd) / 4096, 0.5, 0.05);
}

TEST(InputData, EachKindBringsWhatItNames) {
  const auto has = [](Data data, const std::function<bool(double)>& is) {
    return count(filled(DType::kFloat16, data), is) > 0;
  };
  EXPECT_TRUE(has(Data::kInfinities, [](double v) { return std::isinf(v); }));
  EXPECT_TRUE(has(Data::kNans, [](double v) { return std::isnan(v); }));
  EXPECT_TRUE(has(Data::kZeros, [](double v) { return v == 0 && std::signbit(v); }));
  EXPECT_TRUE(has(Data::kDenormals, [](double v) { return v != 0 && std::abs(v) < 0x1p-14; }));
  EXPECT_TRUE(has(Data::kExtremes, [](double v) { return std::abs(v) == 65504; }));
  EXPECT_EQ(
      count(filled(DType::kFloat16, Data::kRandom), [](double v) { return !std::isfinite(v); }), 0);
}

TEST(InputData, HostileValuesLeaveMostOthersAlone) {
  const Tensor tensor = filled(DType::kBFloat16, Data::kNans);
  EXPECT_LT(count(tensor, [](double v) { return std::isnan(v); }), 64);
}

TEST(InputData, EveryRowAndColumnHasOneNeedle) {
  for (const Data data : {Data::kRowNeedles, Data::kColumnNeedles}) {
    const Tensor tensor = filled(DType::kBFloat16, data);
    const auto [rows, columns] = std::pair(64, 257);
    const std::int64_t lines = data == Data::kRowNeedles ? rows : columns;
    const std::int64_t length = data == Data::kRowNeedles ? columns : rows;
    for (std::int64_t line = 0; line < lines; ++line) {
      int needles = 0;
      for (std::int64_t i = 0; i < length; ++i) {
        const std::int64_t at = data == Data::kRowNeedles ? line * columns + i : i * columns + line;
        needles += load_element(tensor, at) != 0;
      }
      EXPECT_EQ(needles, 1) << data_name(data) << " " << line;
    }
  }
}

TEST(InputData, ARoleWithoutGeneratorIsRefusedByName) {
  const Tensor tensor = Tensor::empty({4}, DType::kInt32);
  try {
    fill_input(tensor, "page_table", Data::kRandom, 1, 1);
    FAIL() << "not refused";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kNotImplemented);
    EXPECT_NE(std::string(error.what()).find("page_table"), std::string::npos);
  }
}

}  // namespace
}  // namespace tileops::certify
