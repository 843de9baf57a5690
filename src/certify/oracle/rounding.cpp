// Rounding through the one implementation of stores that the library has.
#include "certify/oracle/rounding.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "certify/oracle/block.h"
#include "tileops/tensor.h"

namespace tileops::certify::oracle {

double rounded(DType dtype, double value) {
  if (dtype == DType::kFloat32) return static_cast<double>(static_cast<float>(value));
  if (dtype == DType::kFloat64) return value;
  alignas(16) unsigned char bytes[16] = {};
  TensorView one;
  one.data = bytes;
  one.rank = 0;
  one.dtype = dtype;
  store_element(one, 0, value);
  return load_element(one, 0);
}

double rounded_saturating(DType dtype, double value) {
  double limit = 0;
  switch (dtype) {
    case DType::kFloat8E4M3:
      limit = 448;
      break;
    case DType::kFloat8E5M2:
      limit = 57344;
      break;
    case DType::kFloat16:
      limit = 65504;
      break;
    case DType::kUInt8:
      return std::isnan(value) ? 0 : std::clamp(std::nearbyint(value), 0.0, 255.0);
    case DType::kInt8:
      return std::isnan(value) ? 0 : std::clamp(std::nearbyint(value), -128.0, 127.0);
    default:
      return rounded(dtype, value);
  }
  return std::isnan(value) ? value : rounded(dtype, std::clamp(value, -limit, limit));
}

namespace {

template <class Bits>
double with_bits_moved(DType dtype, double y, double towards) {
  Bits bits = 0;
  TensorView one;
  one.data = &bits;
  one.rank = 0;
  one.dtype = dtype;
  // Codes of a float grow with its magnitude.
  store_element(one, 0, y == 0 ? std::copysign(0.0, towards) : y);
  bits = static_cast<Bits>(bits + (y == 0 || (towards > y) == (y > 0) ? 1 : -1));
  return load_element(one, 0);
}

double next_towards(DType dtype, double y, double towards) {
  switch (size_bytes(dtype)) {
    case 1:
      return with_bits_moved<std::uint8_t>(dtype, y, towards);
    case 2:
      return with_bits_moved<std::uint16_t>(dtype, y, towards);
    case 4:
      return static_cast<double>(
          std::nextafter(static_cast<float>(y), static_cast<float>(towards)));
    default:
      return std::nextafter(y, towards);
  }
}

/// Where infinity begins: past the largest number the spacing goes on.
double end_of_finite(DType dtype, double largest) {
  return largest + (largest - next_towards(dtype, largest, 0)) / 2;
}

/// The end, on the side of x, of the reals that round to y: half-way to the next number.
double end_of_rounding(DType dtype, double y, double x) {
  if (std::isinf(y)) return end_of_finite(dtype, next_towards(dtype, y, 0));
  // The float of x may be y itself: an infinity has the direction alone.
  const double next = next_towards(dtype, y, x < y ? -kInfinity : kInfinity);
  return std::isfinite(next) ? (y + next) / 2 : end_of_finite(dtype, y);
}

/// Integers truncate: [y, y + 1) for y > 0, (-1, 1) for 0.
double end_of_truncation(double y, double x) {
  if (x < y) return y > 0 ? y : y - 1;
  return y < 0 ? y : y + 1;
}

}  // namespace

double distance_to_rounding(DType dtype, double x, double y) {
  if (std::isnan(x) || std::isnan(y)) return std::isnan(x) && std::isnan(y) ? 0 : kInfinity;
  const double stored = rounded(dtype, x);
  if (stored == y) return 0;
  if (std::isinf(x)) return kInfinity;
  if (dtype == DType::kBool) return std::abs(x - y);
  return std::abs(x -
                  (is_floating(dtype) ? end_of_rounding(dtype, y, x) : end_of_truncation(y, x)));
}

}  // namespace tileops::certify::oracle
