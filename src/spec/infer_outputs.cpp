// Output views, and calls made from sizes.
#include <algorithm>

#include "spec/evaluate.h"
#include "spec/instantiate.h"
#include "tileops/error.h"

namespace tileops::spec {
namespace {

/// A tensor's dtype in a call where earlier inputs have theirs.
DType dtype_of(const OpSpec& op,
               const DTypeRule& rule,
               const Scope& scope,
               std::span<const TensorView> inputs,
               const std::string& tensor) {
  if (!rule.same_as.empty()) {
    for (std::size_t i = 0; i < op.inputs.size() && i < inputs.size(); ++i) {
      if (op.inputs[i].name == rule.same_as) return inputs[i].dtype;
    }
  }
  if (!rule.param.empty()) {
    const ParamValue* value = scope.find(rule.param);
    if (value && std::holds_alternative<DType>(*value)) return std::get<DType>(*value);
  }
  if (!rule.any_of.empty()) return rule.any_of.front();
  throw Error(ErrorKind::kValue, {op.name, tensor, "a dtype that the call determines", "none", {}});
}

TensorView dense_view(const OpSpec& op, const std::string& name, DType dtype, const Ints& shape) {
  try {
    TensorView view(nullptr, dtype, shape);
    static_cast<void>(view.size_bytes());
    return view;
  } catch (const Error& error) {
    throw Error(error.kind(), {op.name, name, error.parts().expected, error.parts().actual, {}});
  }
}

WorkloadCall make_call(const OpSpec& op,
                       const Sizes& sizes,
                       const NamedParams& params,
                       DType dtype) {
  WorkloadCall call;
  call.params = complete_params(op, params);
  call.inputs.resize(op.inputs.size());
  bool free = true;
  // Presence must be known before shapes: every input is there, with its dtype, then its shape.
  for (std::size_t i = 0; i < op.inputs.size(); ++i) {
    call.inputs[i].rank = 0;
    Scope scope(op, {call.inputs, call.params}, sizes);
    const DTypeRule& rule = op.inputs[i].dtype;
    bool takes = free && rule.same_as.empty() && rule.param.empty() &&
                 std::find(rule.any_of.begin(), rule.any_of.end(), dtype) != rule.any_of.end();
    call.inputs[i].dtype =
        takes ? dtype : dtype_of(op, rule, scope, call.inputs, op.inputs[i].name);
    if (rule.any_of.size() > 1) free = false;
  }
  Scope scope(op, {call.inputs, call.params}, sizes);
  std::vector<TensorView> views;
  for (std::size_t i = 0; i < op.inputs.size(); ++i) {
    views.push_back(dense_view(op, op.inputs[i].name, call.inputs[i].dtype,
                               evaluate_shape(op.inputs[i].shape, scope)));
  }
  call.inputs = std::move(views);
  return call;
}

}  // namespace

std::vector<TensorView> infer_outputs(const OpSpec& op,
                                      const CallShapes& call,
                                      const Sizes& sizes) {
  Scope scope(op, call, sizes);
  std::vector<TensorView> out;
  for (const TensorSpec& tensor : op.outputs) {
    DType dtype = dtype_of(op, tensor.dtype, scope, call.inputs, tensor.name);
    TensorView view = dense_view(op, tensor.name, dtype, evaluate_shape(tensor.shape, scope));
    for (const TensorView& input : call.inputs) {
      if (input.given()) view.device = input.device;
    }
    out.push_back(view);
  }
  return out;
}

WorkloadCall workload_call(const OpSpec& op, const Workload& workload, DType dtype) {
  NamedParams params(workload.params.begin(), workload.params.end());
  WorkloadCall call = make_call(op, {workload.axes, workload.groups}, params, dtype);
  for (std::size_t i = 0; i < op.inputs.size(); ++i) {
    const auto shape = workload.shapes.find(op.inputs[i].name);
    if (shape == workload.shapes.end()) continue;
    call.inputs[i] = dense_view(op, op.inputs[i].name, call.inputs[i].dtype, shape->second);
  }
  return call;
}

WorkloadCall sized_call(const OpSpec& op,
                        const Sizes& sizes,
                        const NamedParams& params,
                        DType dtype) {
  return make_call(op, sizes, params, dtype);
}

}  // namespace tileops::spec
