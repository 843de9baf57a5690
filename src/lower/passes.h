// The passes of the lowering by name, for `tileops show OP --after=PASS`.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "spec/instance.h"
#include "tileops/tensor.h"

namespace tileops::lower {

/// In order: "scalar", "collapse", "rows".
std::vector<std::string> pass_names();

/// The text of what a pass leaves. Throws Error(kValue) for an unknown pass.
std::string print_after(const std::string& pass,
                        const spec::Instance& instance,
                        std::span<const TensorView> inputs,
                        std::span<const TensorView> outputs);

}  // namespace tileops::lower
