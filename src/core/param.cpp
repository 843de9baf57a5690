// Parameters as text, for messages and labels.
#include "tileops/param.h"

#include <charconv>
#include <cmath>

#include "tileops/tensor.h"

namespace tileops {
namespace {

std::string float_text(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  char buffer[32];
  auto end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;  // shortest exact
  return std::string(buffer, end);
}

struct ToText {
  std::string operator()(std::monostate) const { return "none"; }
  std::string operator()(bool value) const { return value ? "true" : "false"; }
  std::string operator()(std::int64_t value) const { return std::to_string(value); }
  std::string operator()(double value) const { return float_text(value); }
  std::string operator()(DType value) const { return std::string(dtype_name(value)); }
  std::string operator()(const Ints& value) const { return shape_text(value); }
  std::string operator()(const std::string& value) const { return "\"" + value + "\""; }
};

}  // namespace

std::string param_text(const ParamValue& value) {
  return std::visit(ToText{}, value);
}

}  // namespace tileops
