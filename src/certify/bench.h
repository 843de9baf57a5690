// Times an operator on its workloads beside its rivals, and holds the times to their bounds.
#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "certify/cpu_profile.h"
#include "certify/progress.h"
#include "certify/timing.h"
#include "tileops/operator.h"

namespace tileops::certify {

struct RivalTime {
  double us = 0;
  std::string version;
};

/// One row of results/<device>/<Op>.json (docs/development.md).
struct BenchRow {
  std::string op, workload, dtype, device, l2, kernel, config, kernel_hash, spec_hash, commit, date;
  std::map<std::string, std::string> params;
  int threads = 1;
  Timing time;
  double bound_us = 0, flops = 0, bytes = 0;
  std::map<std::string, RivalTime> rivals;

  double efficiency() const { return time.median > 0 ? bound_us / time.median : 0; }
  /// A time below the bound is a failure of the measurement or of the kernel, never a record.
  bool is_possible() const { return time.median >= bound_us; }
};

struct BenchOptions {
  Context context;
  std::string device = "cpu";
  std::string commit, date;
  std::string only_kernel;    ///< empty: the selected one
  std::string only_workload;  ///< empty: all
  std::vector<bool> cold{true, false};
  double seconds = 0.25;
  std::size_t rounds = 5;
};

std::vector<BenchRow> bench_operator(const Operator& op,
                                     const CpuProfile& profile,
                                     const BenchOptions& options,
                                     const Progress& progress);

nlohmann::ordered_json to_json(const BenchRow& row);

}  // namespace tileops::certify
