// The checker checked: every broken twin must be rejected, and the sound kernel that they stand on
// must pass the same cases.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "certify/certificate.h"
#include "runtime/engine.h"
#include "tileops/backend.h"

namespace tileops::certify {

struct TwinReport {
  std::string op, twin, fault;
  bool rejected = false;
  std::string why;  ///< what gave it away, or why it could not be judged
};

struct SelfTest {
  std::vector<TwinReport> twins;
  std::vector<Certificate> controls;  ///< of the sound kernels

  bool passed() const;
};

SelfTest self_test(runtime::Registry& registry,
                   Backend& backend,
                   const CertifyOptions& options,
                   const Progress& progress);

/// {twins, rejected, survivors: [...]}.
nlohmann::ordered_json to_json(const SelfTest& test);

}  // namespace tileops::certify
