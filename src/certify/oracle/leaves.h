// Elements of inputs as float64, whatever their strides.
#pragma once

#include <vector>

#include "certify/oracle/block.h"
#include "certify/oracle/program.h"
#include "tileops/tensor.h"

namespace tileops::certify::oracle {

/// Element `offset + i * step` of a view, i < count.
void load_elements(
    const TensorView& view, std::int64_t offset, std::int64_t step, std::size_t count, double* to);

/// A subnormal input may be read as zero: its own size is its bias.
void mark_subnormals(DType dtype, int lanes, Block& block);

}  // namespace tileops::certify::oracle
