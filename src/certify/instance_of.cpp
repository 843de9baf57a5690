// The same steps as a plan-cache miss of the engine, without kernels.
#include "certify/instance_of.h"

#include "runtime/engine.h"

namespace tileops::certify {

std::shared_ptr<const spec::Instance> instance_of(const Operator& op,
                                                  std::span<const TensorView> inputs,
                                                  const NamedParams& params) {
  const auto& entry = op.engine().op();
  const std::vector<ParamValue> complete = spec::complete_params(*entry, params);
  const spec::CallShapes shapes{inputs, complete};
  return std::make_shared<const spec::Instance>(
      spec::instantiate(entry, op.engine().prelude(), shapes, spec::solve_sizes(*entry, shapes)));
}

NamedParams with_names(const spec::OpSpec& op, const std::vector<ParamValue>& params) {
  NamedParams named;
  for (std::size_t i = 0; i < op.params.size(); ++i) {
    named.emplace_back(op.params[i].name, params[i]);
  }
  return named;
}

}  // namespace tileops::certify
