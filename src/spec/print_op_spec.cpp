// An entry as canonical YAML that reads back to the same entry.
#include <fmt/format.h>

#include "spec/print.h"
#include "spec/print_expr.h"

namespace tileops::spec {
namespace {

/// Double-quoted YAML: it can hold any text on one line.
std::string yaml_string(std::string_view text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (c == '\n') {
      out += "\\n";
    } else {
      out += c;
    }
  }
  return out + "\"";
}

std::string key(const std::string& name) {
  return name.empty() ? "\"...\"" : name;
}

std::string dtypes(const std::vector<DType>& list, std::string_view separator) {
  std::string out;
  for (DType dtype : list) {
    if (!out.empty()) out += separator;
    out += dtype_name(dtype);
  }
  return out;
}

std::string rule(const DTypeRule& rule) {
  if (!rule.same_as.empty()) return "same_as(" + rule.same_as + ")";
  if (!rule.param.empty()) return "param(" + rule.param + ")";
  return dtypes(rule.any_of, " | ");
}

std::string tensor(const TensorSpec& x) {
  std::string out = fmt::format("{{dtype: {}, shape: {}", yaml_string(rule(x.dtype)),
                                yaml_string(print(x.shape)));
  if (x.optional) out += ", optional: true";
  if (x.role != "values") out += ", role: " + x.role;
  if (x.contiguous) out += ", contiguous: true";
  if (x.mutated)
    out += ", mutated: " + (x.mutated_when ? yaml_string(print(x.mutated_when)) : "true");
  return out + "}";
}

std::string param(const ParamSpec& x) {
  constexpr std::string_view kNames[] = {"bool", "int", "float", "dtype", "ints", "pair", "text"};
  std::string types;
  for (ParamType type : x.types) {
    types += (types.empty() ? "" : " | ") + std::string(kNames[static_cast<std::size_t>(type)]);
  }
  if (x.optional) types += " | none";
  std::string out = "{type: " + yaml_string(types);
  if (x.default_value) out += ", default: " + yaml_string(print(x.default_value));
  return out + "}";
}

std::string value(const ParamValue& x) {
  const auto* text = std::get_if<std::string>(&x);
  return text ? yaml_string(*text) : param_text(x);
}

std::string workload(const Workload& x) {
  std::string out = "{label: " + yaml_string(x.label);
  for (const auto& [name, sizes] : x.groups) {
    out += fmt::format(", {}: [{}]", key(name), fmt::join(sizes, ", "));
  }
  for (const auto& [name, size] : x.axes) out += fmt::format(", {}: {}", name, size);
  for (const auto& [name, item] : x.params) out += fmt::format(", {}: {}", name, value(item));
  out += ", dtypes: [" + dtypes(x.dtypes, ", ") + "]";
  if (!x.shapes.empty()) {
    std::string shapes;
    for (const auto& [input, sizes] : x.shapes) {
      shapes +=
          fmt::format("{}{}: [{}]", shapes.empty() ? "" : ", ", input, fmt::join(sizes, ", "));
    }
    out += ", shapes: {" + shapes + "}";
  }
  if (!x.inputs.empty()) {
    std::string recipes;
    for (const InputRecipe& recipe : x.inputs) {
      recipes += (recipes.empty() ? "" : ", ") + recipe.input + ": " + yaml_string(recipe.text);
    }
    out += ", inputs: {" + recipes + "}";
  }
  return out + "}";
}

std::string acceptance(const Accept& x) {
  switch (x.kind) {
    case AcceptKind::kExact:
      return "exact";
    case AcceptKind::kSet:
      return "set(" + x.axis + ")";
    case AcceptKind::kTies:
      return "ties(any)";
    case AcceptKind::kOrderFree:
      return "order_free(" + x.axis + " within " + x.key + ")";
    case AcceptKind::kUnspecified:
      return "unspecified(" + print(x.where) + ")";
  }
  return "";
}

std::string law(const Law& x) {
  constexpr std::string_view kNames[] = {"fold",  "invariant_to", "permute",
                                         "merge", "equal_ops",    "gradient"};
  std::string arguments;
  for (const auto& [name, text] : x.arguments) {
    arguments += (arguments.empty() ? "" : ", ") + name + ": " + yaml_string(text);
  }
  return fmt::format("{{{}: {{{}}}}}", kNames[static_cast<std::size_t>(x.kind)], arguments);
}

/// Lines of a block scalar.
std::string block(const std::string& text, std::string_view indent) {
  std::string out = "|\n";
  std::size_t at = 0;
  while (at < text.size()) {
    std::size_t end = std::min(text.find('\n', at), text.size());
    out += std::string(indent) + text.substr(at, end - at) + "\n";
    at = end + 1;
  }
  return out;
}

template <class T, class F>
std::string list(std::string_view head, std::string_view indent, const std::vector<T>& items, F f) {
  if (items.empty()) return "";
  std::string out = fmt::format("{}{}:\n", indent, head);
  for (const T& item : items) out += fmt::format("{}  - {}\n", indent, f(item));
  return out;
}

std::string signature(const OpSpec& op) {
  std::string out = "  signature:\n    inputs:\n";
  for (const TensorSpec& x : op.inputs) out += fmt::format("      {}: {}\n", x.name, tensor(x));
  out += "    outputs:\n";
  for (const TensorSpec& x : op.outputs) out += fmt::format("      {}: {}\n", x.name, tensor(x));
  if (!op.params.empty()) out += "    params:\n";
  for (const ParamSpec& x : op.params) out += fmt::format("      {}: {}\n", x.name, param(x));
  std::string lets, splits;
  for (const Let& x : op.lets) lets += print(Statement(x)) + "\n";
  for (const Split& x : op.splits) splits += print(Statement(x)) + "\n";
  if (!lets.empty()) out += "    lets: " + block(lets, "      ");
  if (!splits.empty()) out += "    split: " + block(splits, "      ");
  auto expr = [](const ExprPtr& x) { return yaml_string(print(x)); };
  out += list("rules", "    ", op.rules, expr);
  out += list("requires", "    ", op.requires_data, expr);
  out +=
      list("dtype_combos", "    ", op.dtype_combos, [](const std::map<std::string, DType>& combo) {
        std::string items;
        for (const auto& [name, dtype] : combo) {
          items += (items.empty() ? "" : ", ") + name + ": " + std::string(dtype_name(dtype));
        }
        return "{" + items + "}";
      });
  return out;
}

std::string names(const std::vector<std::string>& list) {
  return fmt::format("[{}]", fmt::join(list, ", "));
}

std::string judgement(const OpSpec& op) {
  std::string out;
  if (op.accumulate.promote_every != 0) {
    out += fmt::format("  accumulate: {{type: {}, promote_every: {}}}\n",
                       dtype_name(op.accumulate.type), op.accumulate.promote_every);
  } else if (op.accumulate.type != DType::kFloat32) {
    out += fmt::format("  accumulate: {}\n", dtype_name(op.accumulate.type));
  }
  if (!op.may_round.empty()) out += "  may_round:\n";
  for (const auto& [name, dtype] : op.may_round) {
    out += fmt::format("    {}: {}\n", name, yaml_string(rule(dtype)));
  }
  if (!op.may_approximate.empty()) out += "  may_approximate: " + names(op.may_approximate) + "\n";
  std::map<std::string, std::vector<std::string>> forms;
  for (const Accept& x : op.accept) forms[x.output].push_back(yaml_string(acceptance(x)));
  if (!forms.empty()) out += "  accept:\n";
  for (const auto& [output, texts] : forms)
    out += fmt::format("    {}: {}\n", output, names(texts));
  return out + list("laws", "  ", op.laws, law);
}

}  // namespace

std::string print(const OpSpec& op) {
  std::string out = fmt::format("{}:\n  summary: {}\n  family: {}\n  since: {}\n  ref_api: {}\n",
                                op.name, yaml_string(op.summary), op.family, op.since, op.ref_api);
  if (!op.doc.empty()) out += "  doc: " + yaml_string(op.doc) + "\n";
  out += signature(op);
  out += "  definition: " + block(print(op.definition), "    ");
  out += judgement(op);
  if (!op.axes.empty()) out += "  axes:\n";
  for (const auto& [name, kind] : op.axes) {
    out +=
        fmt::format("    {}: {}\n", key(name), kind == AxisKind::kDynamic ? "dynamic" : "static");
  }
  out += list("workloads", "  ", op.workloads, workload);
  if (op.roofline.flops || op.roofline.bytes || !op.roofline.why.empty()) {
    out += "  roofline:\n";
    if (op.roofline.flops) out += "    flops: " + yaml_string(print(op.roofline.flops)) + "\n";
    if (op.roofline.bytes) out += "    bytes: " + yaml_string(print(op.roofline.bytes)) + "\n";
    if (!op.roofline.why.empty()) out += "    why: " + yaml_string(op.roofline.why) + "\n";
  }
  if (!op.backward.empty()) out += "  backward: " + op.backward + "\n";
  if (!op.promises.empty()) out += "  promises: " + names(op.promises) + "\n";
  if (!op.kernel_map.empty()) out += "  source:\n    kernel_map:\n";
  for (const auto& [backend, kernels] : op.kernel_map) {
    out += fmt::format("      {}: {}\n", backend, names(kernels));
  }
  return out;
}

}  // namespace tileops::spec
