// oneDNN's matrix product called directly, as a user of oneDNN would.
#pragma once

#include <optional>

#include "certify/rivals/rival.h"

namespace tileops::certify {

struct MatmulLayout {
  bool transposed_a = false;  ///< a is stored [K, M]
  bool transposed_b = false;  ///< b is stored [N, K]
};

/// Nothing where this oneDNN lacks the dtype on this machine, or for an empty product.
std::optional<Rival> matmul_onednn(const TensorView& a,
                                   const TensorView& b,
                                   const TensorView& d,
                                   MatmulLayout layout);

}  // namespace tileops::certify
