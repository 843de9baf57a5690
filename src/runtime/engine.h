// L2: one engine for every operator. A hit launches; a miss validates, infers, selects, prepares.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "spec/instance.h"
#include "spec/op_spec.h"
#include "tileops/backend.h"
#include "tileops/operator.h"

namespace tileops::runtime {

/// One kernel of an operator, as `explain` shows it: in order of preference.
struct Candidate {
  std::string kernel;
  bool applies = false;
  std::string reason;  ///< why not
  bool chosen = false;
};

/// One operator, immutable after construction but for its bounded plan cache.
class Engine {
 public:
  Engine(std::shared_ptr<const spec::OpSpec> op,
         std::shared_ptr<const spec::Prelude> prelude,
         Backend& backend,
         std::vector<const KernelDescriptor*> kernels);
  ~Engine();

  const std::shared_ptr<const spec::OpSpec>& op() const;
  const std::shared_ptr<const spec::Prelude>& prelude() const;
  /// Names of the kernels on this engine's backend, `derived` last.
  std::vector<std::string> kernels() const;

  std::vector<TensorView> infer(std::span<const TensorView> inputs, const NamedParams& params);
  std::shared_ptr<const Plan> plan(std::span<const TensorView> inputs,
                                   std::span<const TensorView> outputs,
                                   const NamedParams& params,
                                   const Context& context,
                                   const CallOptions& options);
  std::vector<Candidate> explain(std::span<const TensorView> inputs,
                                 const NamedParams& params,
                                 const Context& context,
                                 const CallOptions& options);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// A manifest's operators, made on first use. Find is safe from any thread.
class Registry {
 public:
  /// The manifest that was embedded when the library was built.
  static Registry& shipped();
  /// Another manifest, already read and checked. Kernels in its kernel_map must be known by name.
  explicit Registry(spec::Manifest manifest);
  ~Registry();

  std::vector<std::string> names() const;
  /// Throws Error(kValue) naming the closest known operators.
  Operator find(std::string_view name);
  const spec::Prelude& prelude() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tileops::runtime
