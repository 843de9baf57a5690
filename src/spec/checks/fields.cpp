// Fields that name something: locals, functions, outputs, axes.
#include <algorithm>

#include "spec/checks/context.h"
#include "spec/names.h"
#include "spec/nearest_name.h"

namespace tileops::spec {
namespace {

template <class T>
std::vector<std::string> names_of(const std::vector<T>& items) {
  std::vector<std::string> out;
  for (const T& item : items) out.push_back(item.name);
  return out;
}

bool has(const std::vector<std::string>& list, const std::string& name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

void check_axes(const CheckContext& context) {
  std::vector<std::string> known;
  for (const auto& [name, symbol] : context.symbols) {
    if (symbol.kind == SymbolKind::kAxis) known.push_back(name);
  }
  for (const std::string& group : context.groups) known.push_back(group.empty() ? "..." : group);
  for (const auto& [name, kind] : context.op.axes) {
    std::string shown = name.empty() ? "..." : name;
    if (has(known, shown)) continue;
    context.problem(context.op.span, "axes", "unknown axis `" + shown + "`", name_list(known), {},
                    did_you_mean(shown, known));
  }
}

void check_tolerances(const CheckContext& context) {
  std::vector<std::string> locals;
  for (const auto& [name, symbol] : context.symbols) {
    if (symbol.kind == SymbolKind::kLocal) locals.push_back(name);
  }
  for (const auto& [name, rule] : context.op.may_round) {
    if (has(locals, name)) continue;
    context.problem(context.op.span, "may_round", "`" + name + "` is no local of the definition",
                    locals.empty() ? "a local" : name_list(locals), {}, did_you_mean(name, locals));
  }
  for (const std::string& function : context.op.may_approximate) {
    if (function_op(function) || context.prelude.find(function)) continue;
    context.problem(context.op.span, "may_approximate", "unknown function `" + function + "`");
  }
  if (!is_floating(context.op.accumulate.type) && !is_complex(context.op.accumulate.type) &&
      context.op.accumulate.type != DType::kInt32) {
    context.problem(context.op.span, "accumulate", "sums cannot accumulate in this dtype",
                    "float32, float64 or int32",
                    std::string(dtype_name(context.op.accumulate.type)));
  }
}

void check_accept(const CheckContext& context) {
  std::vector<std::string> outputs = names_of(context.op.outputs);
  for (const Accept& accept : context.op.accept) {
    if (has(outputs, accept.output)) continue;
    context.problem(accept.span, "accept", "unknown output `" + accept.output + "`",
                    name_list(outputs), {}, did_you_mean(accept.output, outputs));
  }
}

void check_workload_inputs(const CheckContext& context) {
  std::vector<std::string> inputs = names_of(context.op.inputs);
  for (const Workload& workload : context.op.workloads) {
    for (const InputRecipe& recipe : workload.inputs) {
      if (has(inputs, recipe.input)) continue;
      context.problem(workload.span, "workloads", "unknown input `" + recipe.input + "`",
                      name_list(inputs), {}, did_you_mean(recipe.input, inputs));
    }
  }
}

void check_combos(const CheckContext& context) {
  std::vector<std::string> tensors = names_of(context.op.inputs);
  for (const std::string& output : names_of(context.op.outputs)) tensors.push_back(output);
  for (const auto& combo : context.op.dtype_combos) {
    for (const auto& [name, dtype] : combo) {
      if (has(tensors, name)) continue;
      context.problem(context.op.span, "signature.dtype_combos", "unknown tensor `" + name + "`",
                      name_list(tensors), {}, did_you_mean(name, tensors));
    }
  }
}

void check_counts(const CheckContext& context) {
  constexpr std::size_t kMostTensors = 64;
  if (context.op.outputs.empty()) {
    context.problem(context.op.span, "signature.outputs", "no outputs", "one output at least");
  }
  if (context.op.inputs.size() + context.op.outputs.size() > kMostTensors) {
    context.problem(context.op.span, "signature", "too many tensors", "64 at most");
  }
}

}  // namespace

void check_fields(const CheckContext& context) {
  check_counts(context);
  check_axes(context);
  check_tolerances(context);
  check_accept(context);
  check_workload_inputs(context);
  check_combos(context);
}

}  // namespace tileops::spec
