// The L1 contract: what a kernel is told, and what it answers. A kernel sees this file and its own.
//
// A descriptor is pure: the same call gives the same answers, nothing is allocated on a device,
// nothing is launched. It is therefore tested on a machine without the device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tileops/param.h"
#include "tileops/tensor.h"

namespace tileops {

namespace spec {
struct Instance;
}

/// One validated call. Shapes, dtypes, strides and parameters are right by the operator's entry.
struct KernelCall {
  std::string_view op;
  std::span<const TensorView> inputs;   ///< in the entry's order; absent optional ones not given()
  std::span<const TensorView> outputs;  ///< never null unless empty
  std::span<const ParamValue> params;   ///< in the entry's order, defaults filled in
  int threads = 1;
  const spec::Instance* instance = nullptr;  ///< the call's meaning; only derived kernels read it
};

struct DeviceInfo {
  Device device;
  std::string name;
};

/// Yes, or no with a reason that completes "does not apply: ".
struct Applies {
  bool yes = true;
  std::string reason;
  /// Bit i: input i must be dense; the engine copies it when it is not.
  std::uint64_t dense_inputs = 0;

  static Applies no(std::string reason) { return {false, std::move(reason), 0}; }
};

/// One way of running a kernel, by named fields; empty where there is only one.
struct KernelConfig {
  std::string text;  ///< "tile_m=128,stages=4": shown, stored and compared
};

/// The pointers of one launch of a plan; shapes and parameters were fixed when it was made.
struct KernelArgs {
  const void* const* inputs = nullptr;  ///< null entries: absent inputs
  void* const* outputs = nullptr;
  void* workspace = nullptr;  ///< aligned to 128 bytes
  int threads = 1;
};

/// A kernel bound to one call's shapes. Immutable; run() may be called from any thread at once.
class HostProgram {
 public:
  virtual ~HostProgram() = default;
  virtual void run(const KernelArgs& args) const = 0;
};

/// What the backend has to do, as data. CPU kernels fill `host`.
struct Launch {
  std::shared_ptr<const HostProgram> host;
};

class KernelDescriptor {
 public:
  virtual ~KernelDescriptor() = default;
  virtual std::string_view name() const = 0;
  virtual Applies applies(const KernelCall& call, const DeviceInfo& device) const = 0;
  /// Best guess first; never empty where the kernel applies.
  virtual std::vector<KernelConfig> configs(const KernelCall&, const DeviceInfo&) const {
    return {{}};
  }
  virtual std::size_t workspace_bytes(const KernelCall&, const KernelConfig&) const { return 0; }
  virtual Launch launch(const KernelCall& call, const KernelConfig& config) const = 0;
};

}  // namespace tileops
