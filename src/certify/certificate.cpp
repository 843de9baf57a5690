// Small cases go to every kernel that takes them; workloads to the kernel that selection chooses.
#include "certify/certificate.h"

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "certify/cases.h"
#include "certify/instance_of.h"
#include "certify/kernel_hash.h"
#include "certify/rows_alone.h"
#include "certify/size_variants.h"
#include "lower/operation_count.h"
#include "runtime/engine.h"
#include "spec/archive.h"

namespace tileops::certify {
namespace {

std::string selected_kernel(const Operator& op, const Case& test, const Context& context) {
  const NamedParams params = with_names(*op.engine().op(), test.call.params);
  for (const auto& candidate : op.engine().explain(test.call.inputs, params, context, {})) {
    if (candidate.chosen) return candidate.kernel;
  }
  return {};
}

double flops_of(const Operator& op, const Case& test) {
  const NamedParams params = with_names(*op.engine().op(), test.call.params);
  return lower::count_operations(*instance_of(op, test.call.inputs, params)).flops;
}

/// Halves the dynamic axes of a workload; false when there is nothing left to halve.
bool shrink(const spec::OpSpec& op, spec::Workload& workload) {
  bool shrunk = false;
  for (const auto& [axis, kind] : op.axes) {
    if (kind != spec::AxisKind::kDynamic) continue;
    const auto halve = [&shrunk](std::int64_t& size) {
      if (size <= 1) return;
      size /= 2;
      shrunk = true;
    };
    if (const auto found = workload.axes.find(axis); found != workload.axes.end()) {
      halve(found->second);
    }
    const auto group = workload.groups.find(axis);
    if (group == workload.groups.end()) continue;
    for (std::int64_t& size : group->second) halve(size);
  }
  return shrunk;
}

class Certifier {
 public:
  Certifier(const Operator& op, const CertifyOptions& options, const Progress& progress)
      : op_(op), entry_(*op.engine().op()), options_(options), progress_(progress) {
    judge_.context = options.context;
    judge_.seed = options.seed;
    if (options.full) judge_.budget = std::numeric_limits<double>::infinity();
    certificate_.op = entry_.name;
    certificate_.device = options.device;
    certificate_.spec_hash = spec::spec_hash(entry_, *op.engine().prelude());
    for (const std::string& kernel : op.engine().kernels()) {
      if (options.only_kernel.empty() || options.only_kernel == kernel) kernels_.push_back(kernel);
    }
    for (const std::string& kernel : kernels_) {
      certificate_.kernel_hashes[kernel] = kernel_hash(kernel);
    }
    if (!kernels_.empty()) certificate_.first_kernel = kernels_.front();
  }

  Certificate run() {
    const std::vector<Case> small = small_cases(entry_);
    std::vector<Case> catalogue;
    if (options_.catalogue) catalogue = affordable(catalogue_cases(entry_));
    total_ = small.size() * kernels_.size() + catalogue.size();
    for (const std::string& kernel : kernels_) {
      for (const Case& test : small) judge(test, kernel);
      judge_promises(kernel);
    }
    for (const Case& test : catalogue) {
      judge(test, options_.only_kernel.empty() ? selected_kernel(op_, test, options_.context)
                                               : options_.only_kernel);
    }
    return std::move(certificate_);
  }

 private:
  void judge(const Case& test, const std::string& kernel) {
    if (progress_) progress_(entry_.name + " " + kernel + ": " + test.label, done_, total_);
    ++done_;
    if (options_.stop_at_first_failure && certificate_.failed() > 0) return;
    CaseVerdict verdict = judge_call(op_, test, kernel, judge_);
    if (verdict.applies) certificate_.reports.push_back({test.label, kernel, std::move(verdict)});
  }

  void judge_promises(const std::string& kernel) {
    for (const std::string& axis : invariant_axes(entry_)) {
      for (const DType dtype : free_dtypes(entry_)) {
        if (options_.stop_at_first_failure && certificate_.failed() > 0) return;
        CaseVerdict verdict = judge_rows_alone(op_, axis, dtype, kernel, judge_);
        if (!verdict.applies) continue;
        certificate_.reports.push_back({"rows of " + (axis.empty() ? "..." : axis) + " alone " +
                                            std::string(dtype_name(dtype)),
                                        kernel, std::move(verdict)});
      }
    }
  }

  std::vector<Case> affordable(std::vector<Case> cases) const {
    if (options_.full) return cases;
    std::size_t next = 0;
    for (const spec::Workload& workload : entry_.workloads) {
      for (const DType dtype : workload.dtypes) make_affordable(cases[next++], workload, dtype);
    }
    return cases;
  }

  void make_affordable(Case& test, spec::Workload workload, DType dtype) const {
    const std::string kernel = options_.only_kernel.empty()
                                   ? selected_kernel(op_, test, options_.context)
                                   : options_.only_kernel;
    if (kernel != "derived") return;
    while (flops_of(op_, test) > kWholeKernelFlops && shrink(entry_, workload)) {
      test.call = spec::workload_call(entry_, workload, dtype);
      test.label = workload.label + " " + std::string(dtype_name(dtype)) + " shrunk:";
      for (const TensorView& input : test.call.inputs) {
        if (input.given()) test.label += " " + shape_text(input.shape());
      }
    }
  }

  const Operator& op_;
  const spec::OpSpec& entry_;
  const CertifyOptions& options_;
  const Progress& progress_;
  JudgeOptions judge_;
  std::vector<std::string> kernels_;
  Certificate certificate_;
  std::size_t done_ = 0, total_ = 0;
};

nlohmann::ordered_json to_json(const CaseReport& report) {
  nlohmann::ordered_json json{{"case", report.label},
                              {"kernel", report.kernel},
                              {"passed", report.verdict.passed},
                              {"margin", report.verdict.margin},
                              {"elements", report.verdict.elements},
                              {"judged", report.verdict.judged}};
  if (!report.verdict.passed) json["why"] = report.verdict.why;
  return json;
}

}  // namespace

std::int64_t Certificate::failed() const {
  return std::count_if(reports.begin(), reports.end(),
                       [](const CaseReport& report) { return !report.verdict.passed; });
}

double Certificate::margin() const {
  double margin = 0;
  for (const CaseReport& report : reports) margin = std::max(margin, report.verdict.margin);
  return margin;
}

Certificate certify_operator(const Operator& op,
                             const CertifyOptions& options,
                             const Progress& progress) {
  return Certifier(op, options, progress).run();
}

nlohmann::ordered_json to_json(const Certificate& certificate) {
  nlohmann::ordered_json failures = nlohmann::ordered_json::array();
  nlohmann::ordered_json ran = nlohmann::ordered_json::array();
  for (const CaseReport& report : certificate.reports) {
    ran.push_back(to_json(report));
    if (!report.verdict.passed) failures.push_back(ran.back());
  }
  const auto first = certificate.kernel_hashes.find(certificate.first_kernel);
  return {{"op", certificate.op},
          {"device", certificate.device},
          {"passed", certificate.passed()},
          {"cases", certificate.reports.size()},
          {"failed", certificate.failed()},
          {"margin", certificate.margin()},
          {"spec_hash", certificate.spec_hash},
          {"kernel_hash", first == certificate.kernel_hashes.end() ? "" : first->second},
          {"kernels", certificate.kernel_hashes},
          {"failures", failures},
          {"ran", ran}};
}

}  // namespace tileops::certify
