// The default backend: derived kernels on Highway, hand-written ones from kernels/cpu.
#pragma once

#include <string>
#include <vector>

#include "tileops/backend.h"

namespace tileops::cpu {

Backend& backend();

/// Instruction sets that this machine can run, best first ("AVX3_SPR", "AVX2", "SSE4", ...), the
/// one in use, and forcing one by name (throws Error(kValue) that lists the known ones; "" undoes
/// it).
std::vector<std::string> targets();
std::string active_target();
void force_target(const std::string& name);

}  // namespace tileops::cpu
