// What an operator's kernels were tried on, and whether they passed: judged case by case.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "certify/judge_call.h"
#include "certify/progress.h"
#include "tileops/operator.h"

namespace tileops::certify {

struct CaseReport {
  std::string label, kernel;
  CaseVerdict verdict;
};

struct Certificate {
  std::string op, device, spec_hash;
  std::map<std::string, std::string> kernel_hashes;  ///< of the kernels that were judged
  std::string first_kernel;                          ///< the preferred one
  std::vector<CaseReport> reports;                   ///< cases that a kernel accepted

  bool passed() const { return !reports.empty() && failed() == 0; }
  std::int64_t failed() const;
  double margin() const;  ///< the largest
};

struct CertifyOptions {
  Context context;
  std::string device = "cpu";
  std::uint64_t seed = 1;
  bool full = false;      ///< whole outputs and whole sizes, whatever they cost
  bool catalogue = true;  ///< the entry's workloads at their real size
  bool stop_at_first_failure = false;
  std::string only_kernel;  ///< empty: all of them
};

Certificate certify_operator(const Operator& op,
                             const CertifyOptions& options,
                             const Progress& progress);

/// {op, device, passed, cases, failed, margin, spec_hash, kernel_hash, kernels, failures, ran}.
nlohmann::ordered_json to_json(const Certificate& certificate);

}  // namespace tileops::certify
