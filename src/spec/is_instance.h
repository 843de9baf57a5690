// What consumers of an instance may rely on (instance.h), as a predicate.
#pragma once

#include <string>

#include "spec/instance.h"

namespace tileops::spec {

/// Empty, or what in the instance should not be left of the language: "`w is given` in y".
std::string why_no_instance(const Instance& instance);

}  // namespace tileops::spec
