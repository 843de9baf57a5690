// The table of element types.
#include "tileops/dtype.h"

#include <array>

namespace tileops {
namespace {

enum class Class { kBool, kInteger, kFloating, kComplex };
struct Row {
  std::string_view name;
  std::size_t bytes;
  Class kind;
};
// In the order of the enum.
constexpr std::array<Row, kDTypeCount> kRows = {{
    {"bool", 1, Class::kBool},
    {"uint8", 1, Class::kInteger},
    {"int8", 1, Class::kInteger},
    {"int16", 2, Class::kInteger},
    {"int32", 4, Class::kInteger},
    {"int64", 8, Class::kInteger},
    {"float8_e4m3", 1, Class::kFloating},
    {"float8_e5m2", 1, Class::kFloating},
    {"float16", 2, Class::kFloating},
    {"bfloat16", 2, Class::kFloating},
    {"float32", 4, Class::kFloating},
    {"float64", 8, Class::kFloating},
    {"complex64", 8, Class::kComplex},
    {"complex128", 16, Class::kComplex},
}};

const Row& row(DType dtype) {
  return kRows[static_cast<std::size_t>(dtype)];
}

}  // namespace

std::string_view dtype_name(DType dtype) {
  return row(dtype).name;
}

std::optional<DType> parse_dtype(std::string_view name) {
  for (std::size_t i = 0; i < kRows.size(); ++i) {
    if (kRows[i].name == name) return static_cast<DType>(i);
  }
  return std::nullopt;
}

std::size_t size_bytes(DType dtype) {
  return row(dtype).bytes;
}
bool is_integer(DType dtype) {
  return row(dtype).kind == Class::kInteger;
}
bool is_floating(DType dtype) {
  return row(dtype).kind == Class::kFloating;
}
bool is_complex(DType dtype) {
  return row(dtype).kind == Class::kComplex;
}

}  // namespace tileops
