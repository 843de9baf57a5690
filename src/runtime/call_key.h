// All that a call's validation and selection read, as numbers: equal keys, equal plans.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "spec/op_spec.h"
#include "tileops/context.h"
#include "tileops/param.h"
#include "tileops/tensor.h"

namespace tileops::runtime {

struct CallKey {
  std::vector<std::uint64_t> words;
  std::uint64_t hash = 0;
  bool operator==(const CallKey& other) const { return hash == other.hash && words == other.words; }
};

/// Fills `key`, whose memory is used again. `outputs` may be empty: the engine allocates them.
void make_key(CallKey& key,
              std::span<const TensorView> inputs,
              std::span<const TensorView> outputs,
              const NamedParams& params,
              const Context& context,
              const std::string& kernel);

}  // namespace tileops::runtime
