// Workload rows: a label, sizes of axes and groups, parameters, dtypes, and recipes of inputs.
#include <algorithm>
#include <charconv>

#include "spec/entry_reader.h"

namespace tileops::spec {
namespace {

bool has_type(const ParamSpec& param, ParamType type) {
  return std::find(param.types.begin(), param.types.end(), type) != param.types.end();
}

Ints read_ints(const YamlNode& node, const FieldScope& scope) {
  Ints out;
  for (const YamlNode& item : node.items) out.push_back(read_int(item, scope));
  return out;
}

std::optional<ParamValue> scalar_value(const std::string& text, const ParamSpec& param) {
  const char* begin = text.data();
  const char* end = begin + text.size();
  if (text == "none" && param.optional) return ParamValue{};
  if (has_type(param, ParamType::kBool) && (text == "true" || text == "false")) {
    return ParamValue{text == "true"};
  }
  std::int64_t whole = 0;
  if (has_type(param, ParamType::kInt)) {
    auto [stop, error] = std::from_chars(begin, end, whole);
    if (error == std::errc{} && stop == end) return ParamValue{whole};
  }
  double real = 0;
  if (has_type(param, ParamType::kFloat)) {
    auto [stop, error] = std::from_chars(begin, end, real);
    if (error == std::errc{} && stop == end) return ParamValue{real};
  }
  if (has_type(param, ParamType::kDType)) {
    if (auto dtype = parse_dtype(text)) return ParamValue{*dtype};
  }
  if (has_type(param, ParamType::kText)) return ParamValue{text};
  return std::nullopt;
}

ParamValue read_value(const YamlNode& node, const FieldScope& scope, const ParamSpec& param) {
  bool list = node.kind == YamlNode::Kind::kSequence;
  if (list && (has_type(param, ParamType::kInts) || has_type(param, ParamType::kPair))) {
    return read_ints(node, scope);
  }
  std::optional<ParamValue> value;
  if (node.kind == YamlNode::Kind::kScalar) value = scalar_value(node.text, param);
  if (!value) {
    scope.problem(node, "a value of another type than the parameter's",
                  "a value of `" + param.name + "`",
                  node.text.empty() ? std::string(kind_name(node.kind)) : "`" + node.text + "`");
  }
  return value.value_or(ParamValue{});
}

std::map<std::string, Ints> read_shapes(const YamlNode& node,
                                        const FieldScope& scope,
                                        const OpSpec& op) {
  std::map<std::string, Ints> out;
  for (std::size_t i = 0; i < node.keys.size(); ++i) {
    const std::string& input = node.keys[i].text;
    const bool known = std::any_of(op.inputs.begin(), op.inputs.end(),
                                   [&](const TensorSpec& tensor) { return tensor.name == input; });
    if (!known) scope.problem(node.keys[i], "`" + input + "` is no input", "an input's name", {});
    out[input] = read_ints(node.items[i], scope.in(input));
  }
  return out;
}

std::vector<InputRecipe> read_recipes(const YamlNode& node, const FieldScope& scope) {
  std::vector<InputRecipe> out;
  if (node.kind != YamlNode::Kind::kMap) {
    scope.problem(node, "wrong kind of value", "a map from input to recipe",
                  std::string(kind_name(node.kind)));
  }
  for (std::size_t i = 0; i < node.keys.size(); ++i) {
    out.push_back({node.keys[i].text, read_text(node.items[i], scope.in(node.keys[i].text))});
  }
  return out;
}

Workload read_workload(const YamlNode& node, const FieldScope& scope, const OpSpec& op) {
  Workload out;
  out.span = scope.span(node);
  if (node.kind != YamlNode::Kind::kMap) {
    scope.problem(node, "wrong kind of value", "{label: ..., AXIS: size, ..., dtypes: [...]}",
                  std::string(kind_name(node.kind)));
    return out;
  }
  for (std::size_t i = 0; i < node.keys.size(); ++i) {
    const std::string& key = node.keys[i].text;
    const YamlNode& value = node.items[i];
    auto param = std::find_if(op.params.begin(), op.params.end(),
                              [&](const ParamSpec& p) { return p.name == key; });
    if (key == "label") {
      out.label = read_text(value, scope.in(key));
    } else if (key == "dtypes") {
      out.dtypes = read_dtypes(value, scope.in(key));
    } else if (key == "inputs") {
      out.inputs = read_recipes(value, scope.in(key));
    } else if (key == "shapes") {
      out.shapes = read_shapes(value, scope.in(key), op);
    } else if (param != op.params.end()) {
      out.params[key] = read_value(value, scope.in(key), *param);
    } else if (value.kind == YamlNode::Kind::kSequence) {
      out.groups[key == "..." ? "" : key] = read_ints(value, scope.in(key));
    } else {
      out.axes[key] = read_int(value, scope.in(key));
    }
  }
  if (out.label.empty()) {
    scope.problem(node, "a workload without a label", {}, {}, "add `label: ...`");
  }
  if (out.dtypes.empty()) {
    scope.problem(node, "a workload without dtypes", {}, {}, "add `dtypes: [...]`");
  }
  return out;
}

}  // namespace

std::vector<Workload> read_workloads(const YamlNode& node,
                                     const FieldScope& scope,
                                     const OpSpec& op) {
  std::vector<Workload> out;
  if (node.kind != YamlNode::Kind::kSequence) {
    scope.problem(node, "wrong kind of value", "a list of workloads",
                  std::string(kind_name(node.kind)));
  }
  for (const YamlNode& item : node.items) {
    Workload row = read_workload(item, scope, op);
    for (const Workload& other : out) {
      if (!row.label.empty() && other.label == row.label) {
        scope.problem(item, "duplicate workload `" + row.label + "`", "each label once",
                      "first given in line " + std::to_string(other.span.line),
                      "rename one of them");
      }
    }
    out.push_back(std::move(row));
  }
  return out;
}

}  // namespace tileops::spec
