// "Did you mean": the known name closest to a mistyped one.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tileops::spec {

/// Empty where nothing is near (more than a third of the letters differ).
std::string nearest_name(std::string_view name, std::span<const std::string> known);
/// "did you mean `weight`?", or nothing.
std::string did_you_mean(std::string_view name, std::span<const std::string> known);
/// "`a`, `b`, `c`", cut after a dozen.
std::string name_list(std::span<const std::string> names);

}  // namespace tileops::spec
