// Values of fields from YAML nodes.
#include "spec/fields.h"

#include <algorithm>
#include <charconv>

#include "spec/nearest_name.h"

namespace tileops::spec {

FieldScope FieldScope::in(const std::string& name) const {
  FieldScope inner = *this;
  inner.path += (path.empty() ? "" : ".") + name;
  return inner;
}

SourceSpan FieldScope::span(const YamlNode& node) const {
  auto length = static_cast<std::int32_t>(std::clamp<std::size_t>(node.text.size(), 1, 80));
  return {file, node.line, node.column, length};
}

void FieldScope::problem(const YamlNode& at,
                         std::string problem,
                         std::string expected,
                         std::string actual,
                         std::string mend) const {
  diagnostics->add({span(at), op, path, std::move(problem), std::move(expected), std::move(actual),
                    std::move(mend)});
}

namespace {

bool is_kind(const YamlNode& node, YamlNode::Kind kind, const FieldScope& scope) {
  if (node.kind == kind) return true;
  scope.problem(node, "wrong kind of value", std::string(kind_name(kind)),
                std::string(kind_name(node.kind)));
  return false;
}

std::string_view trim(std::string_view text) {
  std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

/// The word inside `function(...)`, or nothing.
std::optional<std::string> inside(std::string_view text, std::string_view function) {
  if (text.size() < function.size() + 2 || text.substr(0, function.size()) != function ||
      text[function.size()] != '(' || text.back() != ')') {
    return std::nullopt;
  }
  return std::string(trim(text.substr(function.size() + 1, text.size() - function.size() - 2)));
}

std::vector<std::string> dtype_names() {
  std::vector<std::string> names;
  for (int i = 0; i < kDTypeCount; ++i) names.emplace_back(dtype_name(static_cast<DType>(i)));
  return names;
}

std::optional<DType> dtype_of(std::string_view text,
                              const YamlNode& node,
                              const FieldScope& scope) {
  auto dtype = parse_dtype(trim(text));
  if (!dtype) {
    std::vector<std::string> names = dtype_names();
    scope.problem(node, "unknown dtype `" + std::string(trim(text)) + "`", name_list(names), {},
                  did_you_mean(trim(text), names));
  }
  return dtype;
}

}  // namespace

std::string read_text(const YamlNode& node, const FieldScope& scope) {
  return is_kind(node, YamlNode::Kind::kScalar, scope) ? node.text : "";
}

bool read_bool(const YamlNode& node, const FieldScope& scope) {
  if (node.kind == YamlNode::Kind::kScalar && (node.text == "true" || node.text == "false")) {
    return node.text == "true";
  }
  scope.problem(node, "wrong kind of value", "true or false",
                node.text.empty() ? std::string(kind_name(node.kind)) : "`" + node.text + "`");
  return false;
}

std::int64_t read_int(const YamlNode& node, const FieldScope& scope) {
  std::int64_t value = 0;
  const char* end = node.text.data() + node.text.size();
  auto [stop, error] = std::from_chars(node.text.data(), end, value);
  if (node.kind != YamlNode::Kind::kScalar || error != std::errc{} || stop != end) {
    scope.problem(node, "wrong kind of value", "an integer",
                  node.text.empty() ? std::string(kind_name(node.kind)) : "`" + node.text + "`");
  }
  return value;
}

std::vector<std::string> read_names(const YamlNode& node, const FieldScope& scope) {
  std::vector<std::string> names;
  if (!is_kind(node, YamlNode::Kind::kSequence, scope)) return names;
  for (const YamlNode& item : node.items) names.push_back(read_text(item, scope));
  return names;
}

DType read_dtype(const YamlNode& node, const FieldScope& scope) {
  return dtype_of(read_text(node, scope), node, scope).value_or(DType::kFloat32);
}

std::vector<DType> read_dtypes(const YamlNode& node, const FieldScope& scope) {
  std::vector<DType> out;
  if (!is_kind(node, YamlNode::Kind::kSequence, scope)) return out;
  for (const YamlNode& item : node.items) out.push_back(read_dtype(item, scope));
  return out;
}

ExprPtr read_expr(const YamlNode& node, const FieldScope& scope) {
  if (!is_kind(node, YamlNode::Kind::kScalar, scope)) return nullptr;
  TextPlace place = place_of(node, scope.file);
  place.op = scope.op;
  place.field = scope.path;
  return parse_expression(node.text, place, *scope.diagnostics);
}

std::vector<ExprPtr> read_exprs(const YamlNode& node, const FieldScope& scope) {
  std::vector<ExprPtr> out;
  if (!is_kind(node, YamlNode::Kind::kSequence, scope)) return out;
  for (const YamlNode& item : node.items) {
    if (ExprPtr expr = read_expr(item, scope)) out.push_back(std::move(expr));
  }
  return out;
}

DTypeRule read_dtype_rule(const YamlNode& node, const FieldScope& scope) {
  DTypeRule rule;
  std::string text = read_text(node, scope);
  if (auto name = inside(trim(text), "same_as")) {
    rule.same_as = *name;
  } else if (auto param = inside(trim(text), "param")) {
    rule.param = *param;
  } else if (!text.empty()) {
    std::string_view rest = text;
    for (bool more = true; more;) {
      std::size_t bar = rest.find('|');
      more = bar != std::string_view::npos;
      if (auto dtype = dtype_of(rest.substr(0, bar), node, scope)) rule.any_of.push_back(*dtype);
      rest.remove_prefix(more ? bar + 1 : rest.size());
    }
  }
  return rule;
}

Fields::Fields(const YamlNode& node, FieldScope scope) : node_(node), scope_(std::move(scope)) {
  if (node_.kind != YamlNode::Kind::kMap) is_kind(node_, YamlNode::Kind::kMap, scope_);
}

const YamlNode* Fields::optional(const std::string& name) {
  known_.push_back(name);
  return node_.find(name);
}

const YamlNode* Fields::required(const std::string& name) {
  const YamlNode* found = optional(name);
  if (!found && node_.kind == YamlNode::Kind::kMap) {
    scope_.problem(node_, "the field `" + name + "` is missing", {}, {}, "add `" + name + ": ...`");
  }
  return found;
}

void Fields::finish() const {
  for (const YamlNode& key : node_.keys) {
    if (std::find(known_.begin(), known_.end(), key.text) != known_.end()) continue;
    if (key.kind != YamlNode::Kind::kScalar) continue;  // reported by the YAML tree
    std::string near = did_you_mean(key.text, known_);
    scope_.problem(key, "unknown field `" + key.text + "`", "one of " + name_list(known_), {},
                   near);
  }
}

}  // namespace tileops::spec
