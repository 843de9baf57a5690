// The list of rivals by operator.
#include "certify/rivals/rival.h"

#include <optional>

#include "certify/rivals/matmul_onednn.h"

namespace tileops::certify {

std::vector<Rival> rivals_of(const KernelCall& call) {
  std::vector<Rival> rivals;
  if (call.op == "GemmFwdOp") {
    const MatmulLayout layout{std::get<bool>(call.params[0]), std::get<bool>(call.params[1])};
    if (auto rival = matmul_onednn(call.inputs[0], call.inputs[1], call.outputs[0], layout)) {
      rivals.push_back(std::move(*rival));
    }
  }
  return rivals;
}

}  // namespace tileops::certify
