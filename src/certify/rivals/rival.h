// What a user would call instead, timed beside our kernel on the same buffers.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "tileops/kernel.h"

namespace tileops::certify {

/// A library's own program for one call, bound to shapes; run it on any buffers of these shapes.
struct Rival {
  std::string name, version;
  std::function<void(std::span<const TensorView> inputs, std::span<const TensorView> outputs)> run;
};

/// Rivals that can run this call in this process; empty where there are none.
std::vector<Rival> rivals_of(const KernelCall& call);

}  // namespace tileops::certify
