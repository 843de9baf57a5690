// Element types of tensors: names, sizes and classes. Knows nothing of tensors or operators.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace tileops {

enum class DType : std::uint8_t {
  kBool,
  kUInt8,
  kInt8,
  kInt16,
  kInt32,
  kInt64,
  kFloat8E4M3,  // float8_e4m3fn: largest finite value 448, no infinities
  kFloat8E5M2,
  kFloat16,
  kBFloat16,
  kFloat32,
  kFloat64,
  kComplex64,
  kComplex128,
};

inline constexpr int kDTypeCount = 14;

/// The name used in manifests, Python and messages, such as "bfloat16".
std::string_view dtype_name(DType dtype);

/// The dtype of that name, or nothing.
std::optional<DType> parse_dtype(std::string_view name);

/// Bytes of one element.
std::size_t size_bytes(DType dtype);

bool is_integer(DType dtype);   ///< uint8 ... int64; bool is not an integer
bool is_floating(DType dtype);  ///< float8 ... float64
bool is_complex(DType dtype);

}  // namespace tileops
