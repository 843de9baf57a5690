// Where a long judgement stands, told to whoever wants to show it.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

namespace tileops::certify {

/// Called before each step; `done` of `total` are behind it.
using Progress = std::function<void(const std::string& what, std::size_t done, std::size_t total)>;

}  // namespace tileops::certify
