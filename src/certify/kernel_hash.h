// What a certificate or record was made from: a hash of each kernel's sources, taken by the build.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace tileops::certify {

struct KernelHash {
  std::string_view kernel, hash;
};

/// Printed by cmake/kernel_hashes.cmake: hand-written kernels by name, and `derived`.
std::span<const KernelHash> kernel_hashes();

/// 16 hexadecimal digits, or "unknown" for a kernel from elsewhere.
std::string kernel_hash(std::string_view kernel);

}  // namespace tileops::certify
