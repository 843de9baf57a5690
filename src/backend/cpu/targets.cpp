// Instruction sets: which there are, which is used, and forcing one.
#include <hwy/targets.h>

#include <string>

#include "backend/cpu/cpu_backend.h"
#include "tileops/error.h"

namespace tileops::cpu {
namespace {

std::string& forced() {
  static std::string name;
  return name;
}

}  // namespace

std::vector<std::string> targets() {
  std::vector<std::string> names;
  hwy::DisableTargets(0);
  auto bits = static_cast<std::uint64_t>(hwy::SupportedTargets());
  for (; bits != 0; bits &= bits - 1) {  // better ones have lower bits
    names.emplace_back(hwy::TargetName(static_cast<std::int64_t>(bits & (~bits + 1))));
  }
  const std::string before = forced();  // force_target clears it
  if (!before.empty()) force_target(before);
  return names;
}

std::string active_target() {
  auto bits = static_cast<std::uint64_t>(hwy::SupportedTargets());
  return hwy::TargetName(static_cast<std::int64_t>(bits & (~bits + 1)));
}

void force_target(const std::string& name) {
  hwy::DisableTargets(0);
  forced().clear();
  std::string known;
  if (!name.empty()) {
    auto all = static_cast<std::uint64_t>(hwy::SupportedTargets());
    for (std::uint64_t bits = all; bits != 0; bits &= bits - 1) {
      std::uint64_t bit = bits & (~bits + 1);
      std::string candidate = hwy::TargetName(static_cast<std::int64_t>(bit));
      known += (known.empty() ? "" : ", ") + candidate;
      if (candidate != name) continue;
      hwy::DisableTargets(static_cast<std::int64_t>(bit - 1));
      forced() = name;
    }
    if (forced().empty()) {
      throw Error(ErrorKind::kValue, {{}, "TILEOPS_CPU_TARGET", "one of " + known, name, {}});
    }
  }
  // Dispatch tables hold the choice that was made at the first call.
  hwy::GetChosenTarget().DeInit();
}

}  // namespace tileops::cpu
