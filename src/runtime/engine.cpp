// The engine: a hit finds a plan, a miss makes one.
#include "runtime/engine.h"

#include "runtime/make_plan.h"
#include "runtime/plan_cache.h"
#include "spec/instantiate.h"

namespace tileops::runtime {
namespace {

constexpr std::size_t kMostPlans = 4096;  // an engine

}  // namespace

struct Engine::Impl {
  EngineParts parts;
  PlanCache plans{kMostPlans};
};

Engine::Engine(std::shared_ptr<const spec::OpSpec> op,
               std::shared_ptr<const spec::Prelude> prelude,
               Backend& backend,
               std::vector<const KernelDescriptor*> kernels)
    : impl_(std::make_unique<Impl>()) {
  kernels.push_back(&backend.derived());
  impl_->parts = {std::move(op), std::move(prelude), &backend, std::move(kernels)};
}

Engine::~Engine() = default;

const std::shared_ptr<const spec::OpSpec>& Engine::op() const {
  return impl_->parts.op;
}
const std::shared_ptr<const spec::Prelude>& Engine::prelude() const {
  return impl_->parts.prelude;
}

std::vector<std::string> Engine::kernels() const {
  std::vector<std::string> names;
  for (const KernelDescriptor* kernel : impl_->parts.kernels) names.emplace_back(kernel->name());
  return names;
}

std::vector<TensorView> Engine::infer(std::span<const TensorView> inputs,
                                      const NamedParams& params) {
  std::vector<ParamValue> complete = spec::complete_params(*op(), params);
  spec::CallShapes shapes{inputs, complete};
  return spec::infer_outputs(*op(), shapes, spec::solve_sizes(*op(), shapes));
}

std::shared_ptr<const Plan> Engine::plan(std::span<const TensorView> inputs,
                                         std::span<const TensorView> outputs,
                                         const NamedParams& params,
                                         const Context& context,
                                         const CallOptions& options) {
  thread_local CallKey key;
  make_key(key, inputs, outputs, params, context, options.kernel);
  if (std::shared_ptr<const Plan> known = impl_->plans.find(key)) return known;
  CallKey own = key;  // selection may run operators of its own and use the thread's key
  auto made = make_plan(impl_->parts, {inputs, outputs, params, context, options});
  impl_->plans.insert(own, made);
  return made;
}

std::vector<Candidate> Engine::explain(std::span<const TensorView> inputs,
                                       const NamedParams& params,
                                       const Context& context,
                                       const CallOptions& options) {
  return explain_call(impl_->parts, {inputs, {}, params, context, options});
}

}  // namespace tileops::runtime
