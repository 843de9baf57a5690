// 16-bit floats to float32 and back with one rounding to nearest even, free of branches on data so
// that compilers vectorise the loops around them.
#pragma once

#include <bit>
#include <cstdint>

namespace tileops::kernels {

struct BFloat16 {
  static float widen(std::uint16_t value) {
    return std::bit_cast<float>(static_cast<std::uint32_t>(value) << 16);
  }
  static std::uint16_t narrow(float value) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    const std::uint32_t rounded = (bits + 0x7fffU + ((bits >> 16) & 1U)) >> 16;
    const std::uint32_t quiet_nan = (bits >> 16) | 0x40U;
    return static_cast<std::uint16_t>((bits & 0x7fffffffU) > 0x7f800000U ? quiet_nan : rounded);
  }
};

/// After F. Giesen, "float->half variants" (2012): subnormals are rounded by one float addition.
struct Float16 {
  static float widen(std::uint16_t value) {
    const std::uint32_t shifted = (value & 0x7fffU) << 13;
    const std::uint32_t exponent = shifted & 0x0f800000U;
    const std::uint32_t normal = shifted + (112U << 23);
    const std::uint32_t special = normal + (112U << 23);
    const float subnormal =
        std::bit_cast<float>(normal + (1U << 23)) - std::bit_cast<float>(113U << 23);
    std::uint32_t bits = exponent == 0x0f800000U ? special : normal;
    bits = exponent == 0 ? std::bit_cast<std::uint32_t>(subnormal) : bits;
    return std::bit_cast<float>(bits | (value & 0x8000U) << 16);
  }
  static std::uint16_t narrow(float value) {
    const auto signed_bits = std::bit_cast<std::uint32_t>(value);
    const std::uint32_t bits = signed_bits & 0x7fffffffU;
    const std::uint32_t magic = 126U << 23;  // its last place is float16's smallest subnormal
    const std::uint32_t subnormal =
        std::bit_cast<std::uint32_t>(std::bit_cast<float>(bits) + std::bit_cast<float>(magic)) -
        magic;
    const std::uint32_t normal = (bits - (112U << 23) + 0xfffU + ((bits >> 13) & 1U)) >> 13;
    const std::uint32_t special = bits > 0x7f800000U ? 0x7e00U : 0x7c00U;
    std::uint32_t result = bits < (113U << 23) ? subnormal : normal;
    result = bits >= (143U << 23) ? special : result;
    return static_cast<std::uint16_t>(result | (signed_bits & 0x80000000U) >> 16);
  }
};

}  // namespace tileops::kernels
