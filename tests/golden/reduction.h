// Printed from manifest/reduction.yaml by tileops-emit; do not edit.
// Typed operators of the family `reduction`.
#pragma once

#include <array>
#include <utility>

#include "tileops/operator.h"

namespace tileops {

/// Softmax along one axis.
///
/// dim = none takes the axis 0 for ranks 1 and 3, else 1, as PyTorch does. A row of -inf alone gives nan.
///
/// Inputs
///   x: [S...], float16 or bfloat16 or float32
/// Outputs
///   output: [S...], same dtype as x
///   where split S... by dim ?? (len(S...) == 1 or len(S...) == 3 ? 0 : 1) -> K..., D...
/// Definition
///   output[k..., d...] = softmax(d...: x[k..., d...])
/// Throws Error naming the argument for a call that the entry does not allow; nothing is
/// written then. Outputs must not overlap inputs. Callable from any thread.
class SoftmaxFwdOp {
 public:
  struct Params {
    ParamValue dim = {};
  };
  SoftmaxFwdOp() : SoftmaxFwdOp(Params{}) {}
  SoftmaxFwdOp(const Params& params)  // NOLINT(google-explicit-constructor)
      : op_(Operator::find("SoftmaxFwdOp")), params_{{"dim", params.dim}} {}

  Tensor operator()(const TensorView& x, const Context& context = {}) const {
    return std::move(op_.call(std::array<TensorView, 1>{x}, params_, context)[0]);
  }
  void into(const TensorView& x, const TensorView& output, const Context& context = {}) const {
    op_.into(std::array<TensorView, 1>{x}, std::array<TensorView, 1>{output}, params_, context);
  }
  Prepared prepare(const TensorView& x, const TensorView& output, const Context& context = {}) const {
    return op_.prepare(std::array<TensorView, 1>{x}, std::array<TensorView, 1>{output}, params_, context);
  }

 private:
  Operator op_;
  NamedParams params_;
};

/// Sum over the axes in dim, or over all of them.
///
/// dim = none and an empty list mean all axes; negative ones count from the end.
///
/// Inputs
///   x: [S...], float16 or bfloat16 or float32
/// Outputs
///   output: keepdim ? [U...] : [K...], same dtype as x
///   where split S... by dim == none or len(dim) == 0 ? none : dim -> K..., D..., U...
/// Definition
///   output[k...] = sum(d...: x[k..., d...])
/// Throws Error naming the argument for a call that the entry does not allow; nothing is
/// written then. Outputs must not overlap inputs. Callable from any thread.
class SumFwdOp {
 public:
  struct Params {
    ParamValue dim = {};
    bool keepdim = false;
  };
  SumFwdOp() : SumFwdOp(Params{}) {}
  SumFwdOp(const Params& params)  // NOLINT(google-explicit-constructor)
      : op_(Operator::find("SumFwdOp")), params_{{"dim", params.dim}, {"keepdim", params.keepdim}} {}

  Tensor operator()(const TensorView& x, const Context& context = {}) const {
    return std::move(op_.call(std::array<TensorView, 1>{x}, params_, context)[0]);
  }
  void into(const TensorView& x, const TensorView& output, const Context& context = {}) const {
    op_.into(std::array<TensorView, 1>{x}, std::array<TensorView, 1>{output}, params_, context);
  }
  Prepared prepare(const TensorView& x, const TensorView& output, const Context& context = {}) const {
    return op_.prepare(std::array<TensorView, 1>{x}, std::array<TensorView, 1>{output}, params_, context);
  }

 private:
  Operator op_;
  NamedParams params_;
};

}  // namespace tileops
