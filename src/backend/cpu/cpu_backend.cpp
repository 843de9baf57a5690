// The backend of the machine itself.
#include "backend/cpu/cpu_backend.h"

#include "backend/cpu/derived_kernel.h"

namespace tileops::cpu {
namespace {

class CpuBackend final : public Backend {
 public:
  std::string_view name() const override { return "cpu"; }
  DeviceInfo device(std::int32_t) const override { return {{}, "cpu " + active_target()}; }
  const KernelDescriptor& derived() const override { return derived_kernel(); }
  void run(const Launch& launch, const KernelArgs& args, const Context&) const override {
    launch.host->run(args);
  }
};

}  // namespace

Backend& backend() {
  static CpuBackend backend;
  return backend;
}

}  // namespace tileops::cpu
