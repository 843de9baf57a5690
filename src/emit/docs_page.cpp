// One operator as a page of the reference.
#include <fmt/format.h>

#include "emit/emit.h"
#include "spec/print.h"
#include "spec/print_expr.h"

namespace tileops::emit {
namespace {

std::string cell(std::string text) {
  for (std::size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2) {
    text.replace(at, 1, "\\|");
  }
  return text;
}

std::string dtype_cell(const spec::DTypeRule& rule) {
  if (!rule.same_as.empty()) return "as `" + rule.same_as + "`";
  if (!rule.param.empty()) return "parameter `" + rule.param + "`";
  std::string out;
  for (DType dtype : rule.any_of) out += (out.empty() ? "" : ", ") + std::string(dtype_name(dtype));
  return out;
}

std::string tensor_rows(const std::vector<spec::TensorSpec>& tensors, std::string_view kind) {
  std::string out;
  for (const spec::TensorSpec& tensor : tensors) {
    out += fmt::format("| `{}` | {}{} | `{}` | {} |\n", tensor.name, kind,
                       tensor.optional ? ", optional" : "", cell(spec::print(tensor.shape)),
                       dtype_cell(tensor.dtype));
  }
  return out;
}

std::string sizes_of(const spec::Workload& workload) {
  std::string out;
  for (const auto& [name, sizes] : workload.groups) {
    out +=
        fmt::format("{}{} = [{}]", out.empty() ? "" : ", ", name + "...", fmt::join(sizes, ", "));
  }
  for (const auto& [name, size] : workload.axes) {
    out += fmt::format("{}{} = {}", out.empty() ? "" : ", ", name, size);
  }
  for (const auto& [name, value] : workload.params) {
    out += fmt::format("{}{} = {}", out.empty() ? "" : ", ", name, param_text(value));
  }
  return out;
}

}  // namespace

std::string docs_page(const spec::OpSpec& op) {
  std::string out = fmt::format("# {}\n\n{}\n\n", op.name, op.summary);
  if (!op.doc.empty()) out += op.doc + "\n";
  out += "| tensor | kind | shape | dtype |\n|---|---|---|---|\n";
  out += tensor_rows(op.inputs, "input") + tensor_rows(op.outputs, "output");
  if (!op.params.empty()) out += "\n| parameter | default |\n|---|---|\n";
  for (const spec::ParamSpec& param : op.params) {
    out += fmt::format(
        "| `{}` | {} |\n", param.name,
        param.default_value ? "`" + spec::print(param.default_value) + "`" : "required");
  }
  if (!op.rules.empty()) out += "\n## Rules\n\n";
  for (const spec::ExprPtr& rule : op.rules) out += "- `" + spec::print(rule) + "`\n";
  out += "\n## Definition\n\n```\n" + spec::print(op.definition) + "```\n";
  out += "\n## Workloads\n\n| label | sizes | dtypes |\n|---|---|---|\n";
  for (const spec::Workload& workload : op.workloads) {
    std::string dtypes;
    for (DType dtype : workload.dtypes) {
      dtypes += (dtypes.empty() ? "" : ", ") + std::string(dtype_name(dtype));
    }
    out += fmt::format("| {} | {} | {} |\n", workload.label, sizes_of(workload), dtypes);
  }
  out += "\n## Kernels\n\n";
  for (const auto& [backend, kernels] : op.kernel_map) {
    out += fmt::format("- {}: {}, derived\n", backend, fmt::join(kernels, ", "));
  }
  if (op.kernel_map.empty()) out += "- derived from the definition on every backend\n";
  return out;
}

}  // namespace tileops::emit
