// From an operator and one call's arguments to the call's meaning. Knows no kernels.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "spec/instantiate.h"
#include "tileops/operator.h"

namespace tileops::certify {

/// What the oracle and the roofline read. Throws Error as the operator itself would.
std::shared_ptr<const spec::Instance> instance_of(const Operator& op,
                                                  std::span<const TensorView> inputs,
                                                  const NamedParams& params);

/// Complete parameters with the names that an operator takes them by.
NamedParams with_names(const spec::OpSpec& op, const std::vector<ParamValue>& params);

}  // namespace tileops::certify
