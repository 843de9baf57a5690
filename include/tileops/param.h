// Values of operator parameters, as they cross every border of the library.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "tileops/dtype.h"

namespace tileops {

using Ints = std::vector<std::int64_t>;

/// None, bool, int, float, dtype, ints, text.
using ParamValue =
    std::variant<std::monostate, bool, std::int64_t, double, DType, Ints, std::string>;

/// Parameters by name; those not named take the default of the operator's entry.
using NamedParams = std::vector<std::pair<std::string, ParamValue>>;

/// "true", "1e-06", "[4096]", "none".
std::string param_text(const ParamValue& value);

}  // namespace tileops
