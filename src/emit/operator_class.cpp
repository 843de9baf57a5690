// A thin typed class over the generic Operator: names and defaults are the entry's.
#include <fmt/format.h>

#include "emit/code_writer.h"
#include "emit/emit.h"
#include "spec/evaluate.h"
#include "spec/print.h"
#include "tileops/error.h"

namespace tileops::emit {
namespace {

using spec::OpSpec;
using spec::ParamSpec;
using spec::ParamType;
using spec::TensorSpec;

std::string dtype_text(const spec::DTypeRule& rule) {
  if (!rule.same_as.empty()) return "same dtype as " + rule.same_as;
  if (!rule.param.empty()) return "dtype of parameter " + rule.param;
  std::string out;
  for (DType dtype : rule.any_of)
    out += (out.empty() ? "" : " or ") + std::string(dtype_name(dtype));
  return out;
}

std::string tensor_line(const TensorSpec& tensor) {
  return fmt::format("  {}: {}, {}{}", tensor.name, spec::print(tensor.shape),
                     dtype_text(tensor.dtype), tensor.optional ? "; optional" : "");
}

std::string documentation(const OpSpec& op) {
  std::string text = op.summary + "\n";
  if (!op.doc.empty()) text += "\n" + op.doc;
  text += "\nInputs\n";
  for (const TensorSpec& tensor : op.inputs) text += tensor_line(tensor) + "\n";
  text += "Outputs\n";
  for (const TensorSpec& tensor : op.outputs) text += tensor_line(tensor) + "\n";
  for (const spec::Split& split : op.splits) {
    text += "  where " + spec::print(spec::Statement(split)) + "\n";
  }
  text += "Definition\n";
  for (const spec::Statement& statement : op.definition) {
    text += "  " + spec::print(statement) + "\n";
  }
  text +=
      "Throws Error naming the argument for a call that the entry does not allow; nothing is\n"
      "written then. Outputs must not overlap inputs. Callable from any thread.\n";
  return text;
}

std::string cpp_type(const ParamSpec& param) {
  if (param.optional || param.types.size() != 1) return "ParamValue";
  switch (param.types[0]) {
    case ParamType::kBool:
      return "bool";
    case ParamType::kInt:
      return "std::int64_t";
    case ParamType::kFloat:
      return "double";
    case ParamType::kDType:
      return "DType";
    case ParamType::kInts:
    case ParamType::kPair:
      return "Ints";
    case ParamType::kText:
      return "std::string";
  }
  return "ParamValue";
}

struct ToCpp {
  std::string operator()(std::monostate) const { return "{}"; }
  std::string operator()(bool x) const { return x ? "true" : "false"; }
  std::string operator()(std::int64_t x) const { return fmt::format("std::int64_t{{{}}}", x); }
  std::string operator()(double x) const {
    return param_text(x).find_first_of(".einf") == std::string::npos ? param_text(x) + ".0"
                                                                     : param_text(x);
  }
  std::string operator()(DType x) const {
    return fmt::format("static_cast<DType>({})", static_cast<int>(x));
  }
  std::string operator()(const Ints& x) const {
    return fmt::format("Ints{{{}}}", fmt::join(x, ", "));
  }
  std::string operator()(const std::string& x) const { return cpp_string(x); }
};

/// Empty: required, or a default that depends on other parameters.
std::string default_of(const OpSpec& op, const ParamSpec& param) {
  if (!param.default_value) return "";
  try {
    spec::Scope scope(op, std::span<const ParamValue>{}, std::span<const TensorView>{});
    ParamValue value = spec::evaluate(param.default_value, scope);
    if (cpp_type(param) == "double" && std::holds_alternative<std::int64_t>(value)) {
      value = static_cast<double>(std::get<std::int64_t>(value));
    }
    return std::visit(ToCpp{}, value);
  } catch (const Error&) {
    return "";
  }
}

std::string params_struct(const OpSpec& op) {
  std::string out = "  struct Params {\n";
  for (const ParamSpec& param : op.params) {
    std::string value = default_of(op, param);
    out += fmt::format("    {} {}{};{}\n", cpp_type(param), param.name,
                       value.empty() ? "{}" : " = " + value,
                       value.empty() && !param.default_value ? "  ///< required" : "");
  }
  return out + "  };\n";
}

std::string inputs_list(const OpSpec& op, bool with_defaults) {
  std::string out;
  for (const TensorSpec& tensor : op.inputs) {
    out += fmt::format("{}const TensorView& {}{}", out.empty() ? "" : ", ", tensor.name,
                       with_defaults && tensor.optional ? " = {}" : "");
  }
  return out;
}

std::string outputs_list(const OpSpec& op) {
  std::string out;
  for (const TensorSpec& tensor : op.outputs) {
    out += fmt::format("{}const TensorView& {}", out.empty() ? "" : ", ", tensor.name);
  }
  return out;
}

std::string array_of(const std::vector<TensorSpec>& tensors) {
  std::string names;
  for (const TensorSpec& tensor : tensors) names += (names.empty() ? "" : ", ") + tensor.name;
  return fmt::format("std::array<TensorView, {}>{{{}}}", tensors.size(), names);
}

/// The result of a call: the one output, or a struct with the outputs' names.
std::string call_body(const OpSpec& op) {
  std::string call = fmt::format("op_.call({}, params_, context)", array_of(op.inputs));
  if (op.outputs.size() == 1) return "    return std::move(" + call + "[0]);\n";
  std::string out = "    auto all = " + call + ";\n    return {";
  for (std::size_t i = 0; i < op.outputs.size(); ++i) {
    out += fmt::format("{}std::move(all[{}])", i ? ", " : "", i);
  }
  return out + "};\n";
}

}  // namespace

std::string operator_class(const OpSpec& op) {
  bool parametric = !op.params.empty();
  std::string out = doc_comment(documentation(op), "");
  out += fmt::format("class {} {{\n public:\n", op.name);
  if (parametric) out += params_struct(op);
  if (op.outputs.size() != 1) {
    out += "  struct Outputs {\n    Tensor ";
    for (std::size_t i = 0; i < op.outputs.size(); ++i) {
      out += (i ? ", " : "") + op.outputs[i].name;
    }
    out += ";\n  };\n";
  }
  std::string find = fmt::format("op_(Operator::find({}))", cpp_string(op.name));
  if (parametric) {
    std::string named;
    for (const ParamSpec& param : op.params) {
      named +=
          fmt::format("{}{{\"{}\", params.{}}}", named.empty() ? "" : ", ", param.name, param.name);
    }
    out += fmt::format("  {0}() : {0}(Params{{}}) {{}}\n", op.name);
    out += fmt::format(
        "  {}(const Params& params)  // NOLINT(google-explicit-constructor)\n"
        "      : {}, params_{{{}}} {{}}\n\n",
        op.name, find, named);
  } else {
    out += fmt::format("  {}() : {} {{}}\n\n", op.name, find);
  }
  out += fmt::format("  {} operator()({}, const Context& context = {{}}) const {{\n{}  }}\n",
                     op.outputs.size() == 1 ? "Tensor" : "Outputs", inputs_list(op, true),
                     call_body(op));
  std::string both = inputs_list(op, false) + ", " + outputs_list(op);
  out += fmt::format(
      "  void into({}, const Context& context = {{}}) const {{\n"
      "    op_.into({}, {}, params_, context);\n  }}\n",
      both, array_of(op.inputs), array_of(op.outputs));
  out += fmt::format(
      "  Prepared prepare({}, const Context& context = {{}}) const {{\n"
      "    return op_.prepare({}, {}, params_, context);\n  }}\n\n",
      both, array_of(op.inputs), array_of(op.outputs));
  out += " private:\n  Operator op_;\n  NamedParams params_;\n};\n";
  return out;
}

}  // namespace tileops::emit
