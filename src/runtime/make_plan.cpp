// A miss of the plan cache: validate, infer, instantiate, select, prepare.
#include "runtime/make_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "runtime/environment.h"
#include "runtime/validate.h"
#include "spec/instantiate.h"
#include "spec/nearest_name.h"
#include "tileops/error.h"

namespace tileops::runtime {
namespace {

constexpr std::size_t kAlignment = 128;

std::size_t aligned(std::size_t bytes) {
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

/// One call with its meaning, and what each kernel answers to it.
class Selection {
 public:
  Selection(const EngineParts& parts, const PlannedCall& call)
      : parts_(parts),
        call_(call),
        params_(spec::complete_params(*parts.op, call.params)),
        inputs_(call.inputs.begin(), call.inputs.end()) {
    check_devices(*parts.op, call.inputs, call.outputs, call.context.device);
    spec::CallShapes shapes{inputs_, params_};
    spec::Sizes sizes = spec::solve_sizes(*parts.op, shapes);
    outputs_ = spec::infer_outputs(*parts.op, shapes, sizes);
    if (!call.outputs.empty() || parts.op->outputs.empty()) {
      check_outputs(*parts.op, call.outputs, outputs_);
      outputs_.assign(call.outputs.begin(), call.outputs.end());
    }
    instance_ = std::make_shared<const spec::Instance>(
        spec::instantiate(parts.op, parts.prelude, shapes, sizes));
    threads_ = call.context.threads > 0 ? call.context.threads : default_threads();
    device_ = parts.backend->device(call.context.device.index);
    forced_ = call.options.kernel.empty() ? variable("TILEOPS_KERNEL") : call.options.kernel;
    answers_.reserve(parts.kernels.size());
    for (const KernelDescriptor* kernel : parts.kernels) {
      answers_.push_back(kernel->applies(kernel_call(), device_));
    }
  }

  KernelCall kernel_call() const {
    return {parts_.op->name, inputs_, outputs_, params_, threads_, instance_.get()};
  }

  /// The first that applies, or the forced one.
  std::size_t chosen() const {
    std::size_t index = parts_.kernels.size();
    for (std::size_t i = parts_.kernels.size(); i-- > 0;) {
      bool named = forced_.empty() || parts_.kernels[i]->name() == forced_;
      if (named && answers_[i].yes) index = i;
    }
    return index;
  }

  std::vector<Candidate> candidates() const {
    std::vector<Candidate> out;
    std::size_t best = chosen();
    for (std::size_t i = 0; i < parts_.kernels.size(); ++i) {
      bool forced_away = answers_[i].yes && best < i;
      std::string reason = answers_[i].yes ? "" : answers_[i].reason;
      if (forced_away) reason = "a kernel before it applies";
      if (!forced_.empty() && parts_.kernels[i]->name() != forced_) reason = "another is forced";
      out.push_back({std::string(parts_.kernels[i]->name()), answers_[i].yes, reason, i == best});
    }
    return out;
  }

  std::shared_ptr<const Plan> plan() const {
    std::size_t index = chosen();
    if (index == parts_.kernels.size()) throw nothing_applies();
    const KernelDescriptor& kernel = *parts_.kernels[index];
    auto plan = std::make_shared<Plan>();
    plan->op = parts_.op;
    plan->backend = parts_.backend;
    plan->kernel = kernel.name();
    plan->threads = threads_;
    plan->inputs = inputs_;
    plan->outputs = outputs_;
    for (TensorView& view : plan->inputs) view.data = nullptr;
    for (TensorView& view : plan->outputs) view.data = nullptr;
    plan->empty = std::all_of(outputs_.begin(), outputs_.end(),
                              [](const TensorView& view) { return view.numel() == 0; });
    if (!plan->empty) prepare(kernel, answers_[index], *plan);
    log(*plan);
    return plan;
  }

 private:
  void prepare(const KernelDescriptor& kernel, const Applies& answer, Plan& plan) const {
    std::vector<TensorView> inputs = inputs_;
    KernelCall call = kernel_call();
    std::vector<DenseCopy> copies;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      bool copied = (answer.dense_inputs >> i & 1) && inputs[i].given() && !inputs[i].is_dense();
      if (!copied) continue;
      inputs[i] = TensorView(inputs[i].data, inputs[i].dtype, inputs[i].shape(), inputs[i].device);
      copies.push_back({i, 0});
    }
    call.inputs = inputs;
    KernelConfig config = kernel.configs(call, device_).front();
    plan.workspace = kernel.workspace_bytes(call, config);
    for (DenseCopy& copy : copies) {
      copy.offset = aligned(plan.workspace);
      plan.workspace = copy.offset + static_cast<std::size_t>(inputs[copy.input].size_bytes());
    }
    plan.copies = std::move(copies);
    plan.launch = kernel.launch(call, config);
  }

  Error nothing_applies() const {
    std::vector<std::string> names;
    std::string reasons;
    bool known = false;
    for (std::size_t i = 0; i < parts_.kernels.size(); ++i) {
      names.emplace_back(parts_.kernels[i]->name());
      known = known || names.back() == forced_;
      bool counts = forced_.empty() || names.back() == forced_;
      if (counts)
        reasons += (reasons.empty() ? "" : "; ") + names.back() + ": " + answers_[i].reason;
    }
    if (!forced_.empty() && !known) {
      return Error(ErrorKind::kValue,
                   {parts_.op->name, "kernel", "one of " + spec::name_list(names),
                    "`" + forced_ + "`", spec::did_you_mean(forced_, names)});
    }
    return Error(ErrorKind::kNotImplemented,
                 {parts_.op->name,
                  "kernel",
                  forced_.empty() ? "a kernel that applies" : "kernel " + forced_ + " to apply",
                  reasons,
                  {}});
  }

  void log(const Plan& plan) const {
    if (variable("TILEOPS_LOG") != "select") return;
    std::string line =
        fmt::format("tileops: {} on {}: {}", parts_.op->name, parts_.backend->name(), plan.kernel);
    for (const Candidate& candidate : candidates()) {
      if (!candidate.reason.empty()) {
        line += fmt::format("; {}: {}", candidate.kernel, candidate.reason);
      }
    }
    std::fputs((line + "\n").c_str(), stderr);
  }

  const EngineParts& parts_;
  const PlannedCall& call_;
  std::vector<ParamValue> params_;
  std::vector<TensorView> inputs_, outputs_;
  std::shared_ptr<const spec::Instance> instance_;
  int threads_ = 1;
  DeviceInfo device_;
  std::string forced_;
  std::vector<Applies> answers_;
};

}  // namespace

std::shared_ptr<const Plan> make_plan(const EngineParts& parts, const PlannedCall& call) {
  return Selection(parts, call).plan();
}

std::vector<Candidate> explain_call(const EngineParts& parts, const PlannedCall& call) {
  return Selection(parts, call).candidates();
}

}  // namespace tileops::runtime
