// Bits of one element to float64 and back, rounding once to nearest even.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "tileops/tensor.h"

namespace tileops {
namespace {

/// A binary format narrower than float64. Its largest exponent is for infinities and nans, unless
/// it is `finite_only` (OCP e4m3: there only all ones is nan).
struct Format {
  int exponent_bits, mantissa_bits;
  bool finite_only;
  int bias() const { return (1 << (exponent_bits - 1)) - 1; }
  int all_ones() const { return (1 << exponent_bits) - 1; }
};
constexpr Format kE4M3{4, 3, true}, kE5M2{5, 2, false}, kHalf{5, 10, false}, kBrain{8, 7, false};

double decode(const Format& format, std::uint32_t bits) {
  std::uint32_t mantissa = bits & ((1U << format.mantissa_bits) - 1);
  int exponent = static_cast<int>(bits >> format.mantissa_bits) & format.all_ones();
  bool negative = (bits >> (format.mantissa_bits + format.exponent_bits)) & 1U;
  bool special = exponent == format.all_ones();
  if (special && format.finite_only) special = mantissa + 1 == 1U << format.mantissa_bits;
  if (special) {
    const double value = mantissa != 0 ? std::numeric_limits<double>::quiet_NaN()
                                       : std::numeric_limits<double>::infinity();
    return negative ? -value : value;
  }
  // The same number in float64's format: exponents are biased by 1023, mantissas have 52 bits.
  const std::uint64_t sign = static_cast<std::uint64_t>(negative) << 63;
  if (exponent != 0) {
    const auto biased = static_cast<std::uint64_t>(std::int64_t{exponent} - format.bias() + 1023);
    const std::uint64_t fraction = static_cast<std::uint64_t>(mantissa)
                                   << (52 - format.mantissa_bits);
    return std::bit_cast<double>(sign | biased << 52 | fraction);
  }
  const auto unit =
      static_cast<std::uint64_t>(std::int64_t{1024} - format.bias() - format.mantissa_bits);
  const double value = mantissa * std::bit_cast<double>(unit << 52);
  return negative ? -value : value;
}

std::uint32_t encode(const Format& format, double value) {
  std::uint32_t sign =
      std::signbit(value) ? 1U << (format.mantissa_bits + format.exponent_bits) : 0;
  std::uint32_t ones = static_cast<std::uint32_t>(format.all_ones()) << format.mantissa_bits;
  std::uint32_t quiet_nan = format.finite_only ? ones + (1U << format.mantissa_bits) - 1
                                               : ones | (1U << (format.mantissa_bits - 1));
  if (std::isnan(value)) return sign | quiet_nan;
  std::uint32_t overflow = format.finite_only ? quiet_nan : ones;
  double magnitude = std::abs(value);
  if (std::isinf(magnitude)) return sign | overflow;
  const int shift = 52 - format.mantissa_bits;
  const auto lowest = static_cast<std::uint64_t>(1023 + 1 - format.bias());
  auto bits = std::bit_cast<std::uint64_t>(magnitude);
  if (bits >> 52 < lowest) {
    // Below the smallest normal number: steps of the smallest subnormal one.
    return sign | static_cast<std::uint32_t>(std::nearbyint(
                      std::ldexp(magnitude, format.mantissa_bits + format.bias() - 1)));
  }
  // To nearest even; a carry out of the mantissa is the next exponent.
  bits += (std::uint64_t{1} << (shift - 1)) - 1 + (bits >> shift & 1);
  const std::uint64_t code = (bits >> shift) - ((lowest - 1) << format.mantissa_bits);
  return sign | (code >= overflow ? overflow : static_cast<std::uint32_t>(code));
}

/// Truncates towards zero as C++ does, and wraps as two's complement; nan is 0.
template <class Int>
Int to_integer(double value) {
  if (std::isnan(value)) return 0;
  constexpr double kTwo63 = 9223372036854775808.0;
  if (value >= kTwo63) return static_cast<Int>(std::numeric_limits<std::int64_t>::max());
  if (value < -kTwo63) return static_cast<Int>(std::numeric_limits<std::int64_t>::min());
  return static_cast<Int>(static_cast<std::int64_t>(value));
}

template <class T>
T read(const std::byte* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}
template <class T>
void write(std::byte* at, T value) {
  std::memcpy(at, &value, sizeof value);
}

std::byte* place(const TensorView& tensor, std::int64_t offset) {
  return static_cast<std::byte*>(tensor.data) +
         offset * static_cast<std::int64_t>(size_bytes(tensor.dtype));
}

}  // namespace

double load_element(const TensorView& tensor, std::int64_t offset) {
  const std::byte* at = place(tensor, offset);
  switch (tensor.dtype) {
    case DType::kBool:
      return read<std::uint8_t>(at) != 0;
    case DType::kUInt8:
      return read<std::uint8_t>(at);
    case DType::kInt8:
      return read<std::int8_t>(at);
    case DType::kInt16:
      return read<std::int16_t>(at);
    case DType::kInt32:
      return read<std::int32_t>(at);
    case DType::kInt64:
      return static_cast<double>(read<std::int64_t>(at));
    case DType::kFloat8E4M3:
      return decode(kE4M3, read<std::uint8_t>(at));
    case DType::kFloat8E5M2:
      return decode(kE5M2, read<std::uint8_t>(at));
    case DType::kFloat16:
      return decode(kHalf, read<std::uint16_t>(at));
    case DType::kBFloat16:
      return std::bit_cast<float>(static_cast<std::uint32_t>(read<std::uint16_t>(at)) << 16);
    case DType::kFloat32:
    case DType::kComplex64:  // the real part
      return static_cast<double>(read<float>(at));
    case DType::kFloat64:
    case DType::kComplex128:
      return read<double>(at);
  }
  return 0;
}

void store_element(const TensorView& tensor, std::int64_t offset, double value) {
  std::byte* at = place(tensor, offset);
  switch (tensor.dtype) {
    case DType::kBool:
      return write(at, static_cast<std::uint8_t>(value != 0));
    case DType::kUInt8:
      return write(at, to_integer<std::uint8_t>(value));
    case DType::kInt8:
      return write(at, to_integer<std::int8_t>(value));
    case DType::kInt16:
      return write(at, to_integer<std::int16_t>(value));
    case DType::kInt32:
      return write(at, to_integer<std::int32_t>(value));
    case DType::kInt64:
      return write(at, to_integer<std::int64_t>(value));
    case DType::kFloat8E4M3:
      return write(at, static_cast<std::uint8_t>(encode(kE4M3, value)));
    case DType::kFloat8E5M2:
      return write(at, static_cast<std::uint8_t>(encode(kE5M2, value)));
    case DType::kFloat16:
      return write(at, static_cast<std::uint16_t>(encode(kHalf, value)));
    case DType::kBFloat16:
      return write(at, static_cast<std::uint16_t>(encode(kBrain, value)));
    case DType::kFloat32:
      return write(at, static_cast<float>(value));
    case DType::kFloat64:
      return write(at, value);
    case DType::kComplex64:
      write(at, static_cast<float>(value));
      return write(at + sizeof(float), 0.0F);
    case DType::kComplex128:
      write(at, value);
      return write(at + sizeof(double), 0.0);
  }
}

}  // namespace tileops
