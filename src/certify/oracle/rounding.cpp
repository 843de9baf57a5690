// Rounding through the one implementation of stores that the library has.
#include "certify/oracle/rounding.h"

#include <algorithm>
#include <cmath>

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

}  // namespace tileops::certify::oracle
