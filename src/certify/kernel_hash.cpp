// Looks up what the build printed.
#include "certify/kernel_hash.h"

namespace tileops::certify {

std::string kernel_hash(std::string_view kernel) {
  for (const KernelHash& known : kernel_hashes()) {
    if (known.kernel == kernel) return std::string(known.hash);
  }
  return "unknown";
}

}  // namespace tileops::certify
