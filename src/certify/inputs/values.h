// The generator of role `values`: ordinary and hostile numbers.
#pragma once

#include <cstdint>

#include "certify/inputs/input_data.h"
#include "tileops/tensor.h"

namespace tileops::certify {

void fill_values(const TensorView& view, Data data, std::uint64_t seed, int threads);

}  // namespace tileops::certify
