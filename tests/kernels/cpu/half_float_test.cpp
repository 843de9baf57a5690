// Every 16-bit pattern, and every rounding around it, against the library's own elements.
#include "../../../kernels/cpu/half_float.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>

#include "tileops/tensor.h"

namespace tileops::kernels {
namespace {

template <class Half>
void compare(DType dtype) {
  std::uint16_t stored = 0;
  const TensorView element(&stored, dtype, {});
  const auto check = [&](float value) {
    store_element(element, 0, static_cast<double>(value));
    if (std::isnan(value)) {
      EXPECT_TRUE(std::isnan(Half::widen(Half::narrow(value))));
    } else {
      ASSERT_EQ(Half::narrow(value), stored) << value;
    }
  };
  for (std::uint32_t bits = 0; bits < 65536; ++bits) {
    stored = static_cast<std::uint16_t>(bits);
    const auto expected = static_cast<float>(load_element(element, 0));
    const float value = Half::widen(static_cast<std::uint16_t>(bits));
    ASSERT_EQ(std::isnan(value), std::isnan(expected));
    if (!std::isnan(value)) {
      ASSERT_EQ(std::bit_cast<std::uint32_t>(value), std::bit_cast<std::uint32_t>(expected));
    }
    // The value, its float32 neighbours, and what lies half-way to the next one.
    check(value);
    check(std::nextafter(value, INFINITY));
    check(std::nextafter(value, -INFINITY));
    const float next = Half::widen(static_cast<std::uint16_t>(bits + 1));
    const float half_way = value + (next - value) / 2;
    check(half_way);
    check(std::nextafter(half_way, 0.0F));
    check(std::nextafter(half_way, INFINITY));
  }
}

TEST(HalfFloat, BFloat16) {
  compare<BFloat16>(DType::kBFloat16);
}
TEST(HalfFloat, Float16) {
  compare<Float16>(DType::kFloat16);
}

}  // namespace
}  // namespace tileops::kernels
