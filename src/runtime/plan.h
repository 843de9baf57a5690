// A call bound to its kernel: everything that does not depend on the data.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "spec/instance.h"
#include "tileops/backend.h"
#include "tileops/context.h"
#include "tileops/kernel.h"

namespace tileops::runtime {

/// An input that the kernel wants dense: copied into the workspace before each launch.
struct DenseCopy {
  std::size_t input = 0;
  std::size_t offset = 0;  ///< in the workspace, bytes
};

struct Plan {
  std::shared_ptr<const spec::OpSpec> op;
  const Backend* backend = nullptr;
  std::string kernel;
  Launch launch;
  int threads = 1;
  bool empty = false;         ///< all outputs are: nothing is launched
  std::size_t workspace = 0;  ///< of the kernel, then the copies
  std::vector<DenseCopy> copies;
  std::vector<TensorView> inputs, outputs;  ///< layouts; data null
};

/// Checks what may differ between calls of one layout (null data, overlaps), then launches.
void run_plan(const Plan& plan,
              std::span<const TensorView> inputs,
              std::span<const TensorView> outputs,
              const Context& context);

}  // namespace tileops::runtime
