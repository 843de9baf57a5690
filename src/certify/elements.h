// Places of a view's elements, whatever its strides. Knows nothing of values.
#pragma once

#include <cstdint>

#include "tileops/tensor.h"

namespace tileops::certify {

/// Offset in elements, from `data`, of the element at `index` in row-major order.
inline std::int64_t offset_of(const TensorView& view, std::int64_t index) {
  std::int64_t offset = 0;
  for (auto axis = static_cast<std::size_t>(view.rank); axis-- > 0;) {
    offset += index % view.sizes[axis] * view.steps[axis];
    index /= view.sizes[axis];
  }
  return offset;
}

/// Element `index` in row-major order, as float64.
inline double element(const TensorView& view, std::int64_t index) {
  return load_element(view, offset_of(view, index));
}

}  // namespace tileops::certify
