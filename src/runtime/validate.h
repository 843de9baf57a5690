// What the engine checks of a call besides the entry's own rules: devices, and outputs given.
#pragma once

#include <span>

#include "spec/op_spec.h"
#include "tileops/tensor.h"

namespace tileops::runtime {

void check_devices(const spec::OpSpec& op,
                   std::span<const TensorView> inputs,
                   std::span<const TensorView> outputs,
                   Device device);
/// Dtypes, shapes and strides of outputs that the caller gives. Throws Error naming the output.
void check_outputs(const spec::OpSpec& op,
                   std::span<const TensorView> given,
                   std::span<const TensorView> expected);

}  // namespace tileops::runtime
