// From a validated call to a plan: selection among the operator's kernels, with reasons.
#pragma once

#include <memory>
#include <vector>

#include "runtime/engine.h"
#include "runtime/plan.h"

namespace tileops::runtime {

/// What an engine is made of.
struct EngineParts {
  std::shared_ptr<const spec::OpSpec> op;
  std::shared_ptr<const spec::Prelude> prelude;
  Backend* backend = nullptr;
  std::vector<const KernelDescriptor*> kernels;  ///< in order of preference, derived last
};

struct PlannedCall {
  std::span<const TensorView> inputs;
  std::span<const TensorView> outputs;  ///< empty: the engine allocates them
  const NamedParams& params;
  const Context& context;
  const CallOptions& options;
};

/// Throws Error for a call that the entry does not allow, or that no kernel applies to.
std::shared_ptr<const Plan> make_plan(const EngineParts& parts, const PlannedCall& call);
std::vector<Candidate> explain_call(const EngineParts& parts, const PlannedCall& call);

}  // namespace tileops::runtime
