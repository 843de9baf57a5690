// Broken twins: kernels with one fault each, which the certifier must reject. Each stands on the
// derived kernel, so that the fault is the only difference.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "spec/op_spec.h"
#include "tileops/backend.h"
#include "tileops/kernel.h"

namespace tileops::certify {

struct Twin {
  std::string op;
  std::string fault;  ///< one clause: "drops the tail of the output"
  std::shared_ptr<const KernelDescriptor> kernel;
  /// Whether the fault ever changed a result: no softmax is infinite. Null: it always does.
  std::shared_ptr<std::atomic<bool>> acted = nullptr;
};

using SharedSpec = std::shared_ptr<const spec::OpSpec>;
using SharedPrelude = std::shared_ptr<const spec::Prelude>;

/// Faults of memory and state, which any operator can have.
std::vector<Twin> memory_twins(const SharedSpec& op, const Backend& backend);

/// Faults of mathematics: the derived kernel of another definition; none for unknown operators.
std::vector<Twin> definition_twins(const SharedSpec& op,
                                   const SharedPrelude& prelude,
                                   const Backend& backend);

}  // namespace tileops::certify
