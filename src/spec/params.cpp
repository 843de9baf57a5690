// Parameters of a call: names, types, defaults.
#include <algorithm>

#include "spec/evaluate.h"
#include "spec/instantiate.h"
#include "spec/nearest_name.h"
#include "tileops/error.h"

namespace tileops::spec {
namespace {

constexpr std::string_view kTypeNames[] = {"bool",           "int", "float", "dtype", "ints",
                                           "a pair of ints", "text"};

std::string expected_type(const ParamSpec& param) {
  std::string text;
  for (ParamType type : param.types) {
    text += (text.empty() ? "" : " or ") + std::string(kTypeNames[static_cast<std::size_t>(type)]);
  }
  return param.optional ? text + " or none" : text;
}

std::string_view type_of(const ParamValue& value) {
  constexpr std::string_view kNames[] = {"none", "bool", "int", "float", "dtype", "ints", "text"};
  return kNames[value.index()];
}

/// The value as the parameter's type, or nothing. Ints pass as floats and as lists of one.
std::optional<ParamValue> converted(const ParamSpec& param, const ParamValue& value) {
  if (std::holds_alternative<std::monostate>(value)) {
    return param.optional ? std::optional(value) : std::nullopt;
  }
  for (ParamType type : param.types) {
    switch (type) {
      case ParamType::kBool:
        if (std::holds_alternative<bool>(value)) return value;
        break;
      case ParamType::kInt:
        if (std::holds_alternative<std::int64_t>(value)) return value;
        break;
      case ParamType::kFloat:
        if (std::holds_alternative<double>(value)) return value;
        break;
      case ParamType::kDType:
        if (std::holds_alternative<DType>(value)) return value;
        break;
      case ParamType::kInts:
        if (std::holds_alternative<Ints>(value)) return value;
        break;
      case ParamType::kPair:
        if (const auto* ints = std::get_if<Ints>(&value)) {
          if (ints->size() == 2) return value;
        }
        break;
      case ParamType::kText:
        if (std::holds_alternative<std::string>(value)) return value;
        break;
    }
  }
  if (const auto* whole = std::get_if<std::int64_t>(&value)) {
    for (ParamType type : param.types) {
      if (type == ParamType::kFloat) return static_cast<double>(*whole);
      if (type == ParamType::kInts) return Ints{*whole};
      if (type == ParamType::kPair) return Ints{*whole, *whole};
    }
  }
  return std::nullopt;
}

ParamValue checked(const OpSpec& op, const ParamSpec& param, const ParamValue& value) {
  if (auto result = converted(param, value)) return *result;
  throw Error(ErrorKind::kType, {op.name,
                                 param.name,
                                 expected_type(param),
                                 std::string(type_of(value)) + " " + param_text(value),
                                 {}});
}

}  // namespace

std::vector<ParamValue> complete_params(const OpSpec& op, const NamedParams& given) {
  for (std::size_t i = 0; i < given.size(); ++i) {
    auto named = [&](const auto& other) { return other.name == given[i].first; };
    if (std::none_of(op.params.begin(), op.params.end(), named)) {
      std::vector<std::string> known;
      for (const ParamSpec& param : op.params) known.push_back(param.name);
      throw Error(ErrorKind::kValue,
                  {op.name, given[i].first,
                   known.empty() ? "no parameters" : "one of the parameters " + name_list(known),
                   "an unknown parameter", did_you_mean(given[i].first, known)});
    }
    for (std::size_t j = 0; j < i; ++j) {
      if (given[j].first == given[i].first) {
        throw Error(ErrorKind::kValue,
                    {op.name, given[i].first, "one value", "two values", "remove one of them"});
      }
    }
  }
  std::vector<ParamValue> values;
  for (const ParamSpec& param : op.params) {
    auto at = std::find_if(given.begin(), given.end(),
                           [&](const auto& item) { return item.first == param.name; });
    if (at != given.end()) {
      values.push_back(checked(op, param, at->second));
    } else if (param.default_value) {
      values.push_back(checked(op, param, evaluate(param.default_value, Scope(op, values, {}))));
    } else {
      throw Error(ErrorKind::kValue, {op.name, param.name, "a value (" + expected_type(param) + ")",
                                      "none, and it has no default", "pass " + param.name});
    }
  }
  return values;
}

}  // namespace tileops::spec
