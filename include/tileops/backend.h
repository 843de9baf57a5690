// What a backend gives the engine: its devices, its memory, and its derived kernels.
#pragma once

#include <string_view>

#include "tileops/context.h"
#include "tileops/kernel.h"

namespace tileops {

class Backend {
 public:
  virtual ~Backend() = default;
  virtual std::string_view name() const = 0;  ///< "cpu": the key in kernel_map
  virtual DeviceInfo device(std::int32_t index) const = 0;
  /// The kernel that is derived from a definition; last in every operator's list.
  virtual const KernelDescriptor& derived() const = 0;
  virtual void run(const Launch& launch, const KernelArgs& args, const Context& context) const = 0;
};

}  // namespace tileops
