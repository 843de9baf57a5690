// One case on one kernel: run it guarded, and hold every output to the oracle.
#pragma once

#include <cstdint>
#include <string>

#include "certify/budget.h"
#include "certify/cases.h"
#include "tileops/context.h"
#include "tileops/operator.h"

namespace tileops::certify {

struct JudgeOptions {
  Context context;
  std::uint64_t seed = 1;
  double budget = kWholeOutputFlops;  ///< infinity: whole outputs, whatever they cost
};

struct CaseVerdict {
  bool passed = true;
  bool applies = true;  ///< false: the kernel declined the call, with `why`
  bool threw = false;   ///< the call, the kernel or the oracle gave up with an error
  double margin = 0;
  std::string why;  ///< the first thing that was wrong
  std::int64_t elements = 0, judged = 0;
};

/// Poisons outputs, runs `kernel` (empty: the selected one), looks at guards and inputs, judges
/// closeness; then again from a second thread over another poison, which must give the same bits;
/// then on fresh inputs in the same buffers.
CaseVerdict judge_call(const Operator& op,
                       const Case& test,
                       const std::string& kernel,
                       const JudgeOptions& options);

}  // namespace tileops::certify
