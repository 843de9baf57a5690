// Calls to try an entry on: the workloads' own sizes and small ones, each mode of bool parameters,
// optional inputs present and absent.
#pragma once

#include <vector>

#include "spec/checks/context.h"
#include "spec/instantiate.h"

namespace tileops::spec {

struct Sample {
  std::vector<TensorView> inputs;
  std::vector<ParamValue> params;
  Sizes sizes;
};

/// Sizes and parameters before any rule is asked.
struct SampleSizes {
  Sizes sizes;
  NamedParams params;
  DType dtype = DType::kFloat32;
};
std::vector<SampleSizes> sample_sizes(const OpSpec& op);

/// Legal calls among them; sizes and parameters that break a rule are left out.
std::vector<Sample> legal_samples(const OpSpec& op);

/// "M = 2, N = 3".
std::string sizes_text(const Sizes& sizes);

}  // namespace tileops::spec
