// Operators by name: archived ones are restored on first use.
#include <algorithm>
#include <map>
#include <mutex>

#include "runtime/engine.h"
#include "runtime/shipped.h"
#include "spec/archive.h"
#include "spec/nearest_name.h"
#include "tileops/error.h"

namespace tileops {

Operator Operator::find(std::string_view name) {
  return runtime::Registry::shipped().find(name);
}

namespace runtime {
namespace {

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

std::vector<const KernelDescriptor*> kernels_of(const spec::OpSpec& op, const Backend& backend) {
  std::vector<const KernelDescriptor*> out;
  auto listed = op.kernel_map.find(std::string(backend.name()));
  if (listed == op.kernel_map.end()) return out;
  for (const std::string& name : listed->second) {
    auto kernels = runtime::shipped().kernels;
    auto at = std::find_if(kernels.begin(), kernels.end(), [&](const ShippedKernel& kernel) {
      return kernel.backend == backend.name() && kernel.name == name;
    });
    if (at == kernels.end()) {
      std::vector<std::string> known;
      for (const ShippedKernel& kernel : kernels) known.emplace_back(kernel.name);
      throw Error(ErrorKind::kValue,
                  {op.name, "source.kernel_map", "a kernel that this library has", "`" + name + "`",
                   spec::did_you_mean(name, known)});
    }
    out.push_back(&at->descriptor());
  }
  return out;
}

}  // namespace

struct Registry::Impl {
  std::shared_ptr<const spec::Prelude> prelude;
  std::vector<std::string> names;  ///< sorted
  std::map<std::string, std::shared_ptr<const spec::OpSpec>, std::less<>> loaded;
  std::mutex mutex;
  std::map<std::string, std::shared_ptr<Engine>, std::less<>> engines;

  std::shared_ptr<const spec::OpSpec> spec_of(std::string_view name) const {
    auto at = loaded.find(name);
    if (at != loaded.end()) return at->second;
    for (const ShippedOperator& op : runtime::shipped().operators) {
      if (op.name == name) {
        return std::make_shared<const spec::OpSpec>(spec::op_from_bytes(bytes_of(op.bytes)));
      }
    }
    return nullptr;
  }
};

Registry& Registry::shipped() {
  // Never destroyed: operators may be called by other static objects' destructors.
  static Registry* registry = [] {
    auto* made = new Registry(spec::Manifest{});
    const Shipped& table = runtime::shipped();
    made->impl_->prelude =
        std::make_shared<const spec::Prelude>(spec::prelude_from_bytes(bytes_of(table.prelude)));
    for (const ShippedOperator& op : table.operators) made->impl_->names.emplace_back(op.name);
    return made;
  }();
  return *registry;
}

Registry::Registry(spec::Manifest manifest) : impl_(std::make_unique<Impl>()) {
  impl_->prelude = std::make_shared<const spec::Prelude>(std::move(manifest.prelude));
  for (spec::OpSpec& op : manifest.operators) {
    impl_->names.push_back(op.name);
    std::string name = op.name;
    impl_->loaded[name] = std::make_shared<const spec::OpSpec>(std::move(op));
  }
}

Registry::~Registry() = default;

std::vector<std::string> Registry::names() const {
  return impl_->names;
}
const spec::Prelude& Registry::prelude() const {
  return *impl_->prelude;
}

Operator Registry::find(std::string_view name) {
  std::lock_guard lock(impl_->mutex);
  auto known = impl_->engines.find(name);
  if (known != impl_->engines.end()) return Operator(known->second);
  bool listed = std::find(impl_->names.begin(), impl_->names.end(), name) != impl_->names.end();
  std::shared_ptr<const spec::OpSpec> op = listed ? impl_->spec_of(name) : nullptr;
  if (!op) {
    std::string near = spec::did_you_mean(name, impl_->names);
    throw Error(ErrorKind::kValue,
                {std::string(name),
                 {},
                 "a known operator",
                 "an unknown name",
                 near.empty() ? "known: " + spec::name_list(impl_->names) : near});
  }
  Backend& backend = runtime::shipped().backend();
  auto engine = std::make_shared<Engine>(op, impl_->prelude, backend, kernels_of(*op, backend));
  impl_->engines.emplace(std::string(name), engine);
  return Operator(std::move(engine));
}

}  // namespace runtime
}  // namespace tileops
