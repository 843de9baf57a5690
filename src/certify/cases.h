// What is to be tried on an operator, as data made from its entry. Runs nothing.
#pragma once

#include <string>
#include <vector>

#include "certify/guarded_tensor.h"
#include "certify/inputs/input_data.h"
#include "spec/instantiate.h"

namespace tileops::certify {

struct Case {
  std::string label;  ///< "llama-8b-prefill bfloat16", "K=17 float16 trans_a=true"
  spec::WorkloadCall call;
  Layout layout = Layout::kDense;
  Data data = Data::kRandom;
  bool catalogue = false;  ///< a workload of the entry, at its real size
};

/// Sizes, parameters, dtypes, layouts and hostile data at small sizes.
std::vector<Case> small_cases(const spec::OpSpec& op);

/// The entry's workloads, at every dtype that they list.
std::vector<Case> catalogue_cases(const spec::OpSpec& op);

}  // namespace tileops::certify
