// Any operator, found by name: the generic face that the generated typed classes stand on.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tileops/context.h"
#include "tileops/param.h"
#include "tileops/tensor.h"

namespace tileops {

namespace runtime {
class Engine;
struct Plan;
}  // namespace runtime

/// A call bound once: operator, shapes, kernel. run() looks nothing up and allocates only
/// workspace.
class Prepared {
 public:
  Prepared(std::shared_ptr<const runtime::Plan> plan, Context context);
  std::size_t workspace_bytes() const;
  std::string_view kernel() const;
  /// Tensors must have the layouts that the call was prepared with; else Error(kValue).
  void run(std::span<const TensorView> inputs, std::span<const TensorView> outputs) const;

 private:
  std::shared_ptr<const runtime::Plan> plan_;
  Context context_;
};

/// How a call may be steered, besides its arguments.
struct CallOptions {
  std::string kernel;  ///< force this kernel by name; empty: selection decides
};

/// A handle to an operator of the embedded manifest (or of one loaded at run time). Cheap to copy,
/// immutable, callable from any thread.
class Operator {
 public:
  /// Throws Error(kValue) that names the closest known operators.
  static Operator find(std::string_view name);
  explicit Operator(std::shared_ptr<runtime::Engine> engine) : engine_(std::move(engine)) {}

  std::string_view name() const;

  /// Allocates the outputs and computes them. Inputs in the entry's order; an optional input that
  /// is not given is a default TensorView. Throws Error; nothing is written on a refused call.
  std::vector<Tensor> call(std::span<const TensorView> inputs,
                           const NamedParams& params = {},
                           const Context& context = {},
                           const CallOptions& options = {}) const;

  /// The same into outputs of the caller, which must not overlap the inputs.
  void into(std::span<const TensorView> inputs,
            std::span<const TensorView> outputs,
            const NamedParams& params = {},
            const Context& context = {},
            const CallOptions& options = {}) const;

  /// Output views (data null) that a call would produce.
  std::vector<TensorView> infer(std::span<const TensorView> inputs,
                                const NamedParams& params = {}) const;

  Prepared prepare(std::span<const TensorView> inputs,
                   std::span<const TensorView> outputs,
                   const NamedParams& params = {},
                   const Context& context = {},
                   const CallOptions& options = {}) const;

  runtime::Engine& engine() const { return *engine_; }

 private:
  std::shared_ptr<runtime::Engine> engine_;
};

}  // namespace tileops
