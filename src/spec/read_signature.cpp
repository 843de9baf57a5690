// Tensors, parameters, lets, splits, rules: the face of an operator.
#include <algorithm>
#include <array>

#include "spec/entry_reader.h"
#include "spec/nearest_name.h"

namespace tileops::spec {
namespace {

const std::vector<std::string> kRoles = {"values",  "indices",    "permutation",  "lengths",
                                         "offsets", "page_table", "packed",       "mask",
                                         "scales",  "seed",       "probabilities"};

TensorSpec read_tensor(const YamlNode& key, const YamlNode& node, const FieldScope& scope) {
  TensorSpec tensor;
  tensor.name = key.text;
  tensor.span = scope.span(key);
  Fields fields(node, scope);
  if (const YamlNode* dtype = fields.required("dtype")) {
    tensor.dtype = read_dtype_rule(*dtype, scope.in("dtype"));
  }
  if (const YamlNode* shape = fields.required("shape")) {
    tensor.shape = read_expr(*shape, scope.in("shape"));
  }
  fields.read("optional", tensor.optional, read_bool);
  fields.read("contiguous", tensor.contiguous, read_bool);
  if (const YamlNode* role = fields.optional("role")) {
    tensor.role = read_text(*role, scope.in("role"));
    if (std::find(kRoles.begin(), kRoles.end(), tensor.role) == kRoles.end()) {
      scope.in("role").problem(*role, "unknown role `" + tensor.role + "`", name_list(kRoles), {},
                               did_you_mean(tensor.role, kRoles));
    }
  }
  if (const YamlNode* mutated = fields.optional("mutated")) {
    tensor.mutated = mutated->text != "false";
    if (mutated->text != "true" && mutated->text != "false") {
      tensor.mutated_when = read_expr(*mutated, scope.in("mutated"));
    }
  }
  fields.finish();
  return tensor;
}

std::vector<TensorSpec> read_tensors(const YamlNode& node, const FieldScope& scope) {
  std::vector<TensorSpec> out;
  if (node.kind != YamlNode::Kind::kMap) {
    scope.problem(node, "wrong kind of value", "a map from name to tensor",
                  std::string(kind_name(node.kind)));
  }
  for (std::size_t i = 0; i < node.keys.size(); ++i) {
    out.push_back(read_tensor(node.keys[i], node.items[i], scope.in(node.keys[i].text)));
  }
  return out;
}

constexpr std::array<std::string_view, 7> kParamTypes = {"bool", "int",  "float", "dtype",
                                                         "ints", "pair", "text"};

void read_param_types(const YamlNode& node, const FieldScope& scope, ParamSpec& param) {
  std::string text = read_text(node, scope);
  std::string word;
  auto finish_word = [&] {
    auto at = std::find(kParamTypes.begin(), kParamTypes.end(), word);
    if (word == "none") {
      param.optional = true;
    } else if (at != kParamTypes.end()) {
      param.types.push_back(static_cast<ParamType>(at - kParamTypes.begin()));
    } else {
      std::vector<std::string> known(kParamTypes.begin(), kParamTypes.end());
      known.push_back("none");
      scope.problem(node, "unknown parameter type `" + word + "`", name_list(known), {},
                    did_you_mean(word, known));
    }
    word.clear();
  };
  for (char c : text) {
    if (c == '|') {
      finish_word();
    } else if (c != ' ') {
      word += c;
    }
  }
  if (!text.empty()) finish_word();
}

/// A YAML list is a list of the language; a scalar is an expression.
ExprPtr read_default(const YamlNode& node, const FieldScope& scope) {
  if (node.kind != YamlNode::Kind::kSequence) return read_expr(node, scope);
  ShapeLit list;
  for (const YamlNode& item : node.items) {
    Subscript subscript;
    subscript.expr = read_expr(item, scope);
    subscript.span = scope.span(item);
    if (subscript.expr) list.dims.push_back(std::move(subscript));
  }
  return make_expr(std::move(list), Type::kUnknown, scope.span(node));
}

std::vector<ParamSpec> read_params(const YamlNode& node, const FieldScope& scope) {
  std::vector<ParamSpec> out;
  if (node.kind != YamlNode::Kind::kMap) {
    scope.problem(node, "wrong kind of value", "a map from name to parameter",
                  std::string(kind_name(node.kind)));
  }
  for (std::size_t i = 0; i < node.keys.size(); ++i) {
    FieldScope inner = scope.in(node.keys[i].text);
    ParamSpec param;
    param.name = node.keys[i].text;
    param.span = scope.span(node.keys[i]);
    Fields fields(node.items[i], inner);
    if (const YamlNode* type = fields.required("type")) {
      read_param_types(*type, inner.in("type"), param);
    }
    fields.read("default", param.default_value, read_default);
    fields.finish();
    out.push_back(std::move(param));
  }
  return out;
}

std::vector<std::map<std::string, DType>> read_combos(const YamlNode& node,
                                                      const FieldScope& scope) {
  std::vector<std::map<std::string, DType>> out;
  if (node.kind != YamlNode::Kind::kSequence) {
    scope.problem(node, "wrong kind of value", "a list of maps from tensor to dtype",
                  std::string(kind_name(node.kind)));
  }
  for (const YamlNode& item : node.items) {
    std::map<std::string, DType> combo;
    for (std::size_t i = 0; i < item.keys.size(); ++i) {
      combo[item.keys[i].text] = read_dtype(item.items[i], scope);
    }
    if (combo.empty()) scope.problem(item, "an empty combination", "{tensor: dtype, ...}");
    out.push_back(std::move(combo));
  }
  return out;
}

template <class T>
std::vector<T> read_only(const YamlNode& node, const FieldScope& scope, const char* expected) {
  std::vector<T> out;
  for (Statement& statement : read_statements(node, scope)) {
    if (T* kept = std::get_if<T>(&statement)) {
      out.push_back(std::move(*kept));
    } else {
      scope.problem(node, "another kind of statement", expected);
    }
  }
  return out;
}

}  // namespace

void read_signature(const YamlNode& node, const FieldScope& scope, OpSpec& op) {
  Fields fields(node, scope);
  if (const YamlNode* inputs = fields.required("inputs")) {
    op.inputs = read_tensors(*inputs, scope.in("inputs"));
  }
  if (const YamlNode* outputs = fields.required("outputs")) {
    op.outputs = read_tensors(*outputs, scope.in("outputs"));
  }
  fields.read("params", op.params, read_params);
  if (const YamlNode* lets = fields.optional("lets")) {
    op.lets = read_only<Let>(*lets, scope.in("lets"), "name := expression");
  }
  if (const YamlNode* splits = fields.optional("split")) {
    op.splits =
        read_only<Split>(*splits, scope.in("split"), "split S... by dim ?? all -> K..., D...");
  }
  fields.read("rules", op.rules, read_exprs);
  fields.read("requires", op.requires_data, read_exprs);
  fields.read("dtype_combos", op.dtype_combos, read_combos);
  fields.finish();
}

}  // namespace tileops::spec
