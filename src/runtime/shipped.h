// What the build printed from the manifest: archived operators, kernels by name, the backend.
// The definition of shipped() is generated (src/emit); nothing here knows YAML or any kernel.
#pragma once

#include <span>
#include <string_view>

#include "tileops/backend.h"
#include "tileops/kernel.h"

namespace tileops::runtime {

struct ShippedOperator {
  std::string_view name;
  std::string_view bytes;  ///< of src/spec/archive.h
};

struct ShippedKernel {
  std::string_view backend, name;
  const KernelDescriptor& (*descriptor)();
};

struct Shipped {
  std::span<const ShippedOperator> operators;  ///< sorted by name
  std::string_view prelude;
  std::span<const ShippedKernel> kernels;
  Backend& (*backend)();
};

const Shipped& shipped();
std::span<const ShippedKernel> shipped_kernels();
Backend& shipped_backend();

}  // namespace tileops::runtime
