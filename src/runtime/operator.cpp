// The generic face of an operator, and calls bound once.
#include "tileops/operator.h"

#include <algorithm>

#include "runtime/engine.h"
#include "runtime/plan.h"
#include "tileops/error.h"

namespace tileops {
namespace {

bool same_layout(const TensorView& a, const TensorView& b) {
  return a.rank == b.rank && a.dtype == b.dtype && a.device == b.device &&
         std::equal(a.shape().begin(), a.shape().end(), b.shape().begin(), b.shape().end()) &&
         std::equal(a.strides().begin(), a.strides().end(), b.strides().begin(), b.strides().end());
}

void check_layouts(const runtime::Plan& plan,
                   const std::vector<spec::TensorSpec>& specs,
                   std::span<const TensorView> given,
                   std::span<const TensorView> prepared) {
  if (given.size() != prepared.size()) {
    throw Error(ErrorKind::kValue, {plan.op->name,
                                    "prepared call",
                                    std::to_string(prepared.size()) + " tensors",
                                    std::to_string(given.size()),
                                    {}});
  }
  for (std::size_t i = 0; i < given.size(); ++i) {
    if (same_layout(given[i], prepared[i])) continue;
    throw Error(ErrorKind::kValue,
                {plan.op->name, specs[i].name,
                 "the layout that the call was prepared with, " + shape_text(prepared[i].shape()),
                 shape_text(given[i].shape()) + " with strides " + shape_text(given[i].strides()),
                 "prepare the call again"});
  }
}

}  // namespace

std::string_view Operator::name() const {
  return engine_->op()->name;
}

std::vector<Tensor> Operator::call(std::span<const TensorView> inputs,
                                   const NamedParams& params,
                                   const Context& context,
                                   const CallOptions& options) const {
  std::shared_ptr<const runtime::Plan> plan = engine_->plan(inputs, {}, params, context, options);
  std::vector<Tensor> outputs;
  std::vector<TensorView> views;
  outputs.reserve(plan->outputs.size());
  views.reserve(plan->outputs.size());
  for (TensorView view : plan->outputs) {
    auto bytes = static_cast<std::size_t>(view.size_bytes());
    std::shared_ptr<void> memory =
        context.allocator->allocate(bytes, context.device, context.stream);
    view.data = memory.get();
    views.push_back(view);
    outputs.emplace_back(view, std::move(memory));
  }
  run_plan(*plan, inputs, views, context);
  return outputs;
}

void Operator::into(std::span<const TensorView> inputs,
                    std::span<const TensorView> outputs,
                    const NamedParams& params,
                    const Context& context,
                    const CallOptions& options) const {
  if (outputs.empty() && !engine_->op()->outputs.empty()) {
    throw Error(ErrorKind::kValue, {engine_->op()->name,
                                    "outputs",
                                    std::to_string(engine_->op()->outputs.size()) + " tensors",
                                    "0",
                                    {}});
  }
  run_plan(*engine_->plan(inputs, outputs, params, context, options), inputs, outputs, context);
}

std::vector<TensorView> Operator::infer(std::span<const TensorView> inputs,
                                        const NamedParams& params) const {
  return engine_->infer(inputs, params);
}

Prepared Operator::prepare(std::span<const TensorView> inputs,
                           std::span<const TensorView> outputs,
                           const NamedParams& params,
                           const Context& context,
                           const CallOptions& options) const {
  return Prepared(engine_->plan(inputs, outputs, params, context, options), context);
}

Prepared::Prepared(std::shared_ptr<const runtime::Plan> plan, Context context)
    : plan_(std::move(plan)), context_(context) {}

std::size_t Prepared::workspace_bytes() const {
  return plan_->workspace;
}
std::string_view Prepared::kernel() const {
  return plan_->kernel;
}

void Prepared::run(std::span<const TensorView> inputs, std::span<const TensorView> outputs) const {
  check_layouts(*plan_, plan_->op->inputs, inputs, plan_->inputs);
  check_layouts(*plan_, plan_->op->outputs, outputs, plan_->outputs);
  run_plan(*plan_, inputs, outputs, context_);
}

}  // namespace tileops
