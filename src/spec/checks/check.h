// The checker: what an entry means is decided once, here, before anything is made of it.
#pragma once

#include "spec/diagnostic.h"
#include "spec/op_spec.h"

namespace tileops::spec {

/// Fills types and ranges, reports every problem, and drops the operators that have one.
void check_manifest(Manifest& manifest, Diagnostics& diagnostics);

}  // namespace tileops::spec
