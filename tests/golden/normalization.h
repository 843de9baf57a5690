// Printed from manifest/normalization.yaml by tileops-emit; do not edit.
// Typed operators of the family `normalization`.
#pragma once

#include <array>
#include <utility>

#include "tileops/operator.h"

namespace tileops {

/// Root-mean-square normalization over the trailing axes, with a weight.
///
/// eps = none means 1e-6. A row of zeros gives zeros. Over an empty group every output is empty.
///
/// Inputs
///   x: [..., C...], float16 or bfloat16
///   weight: [C...], same dtype as x
/// Outputs
///   output: [..., C...], same dtype as x
/// Definition
///   r[...] = rsqrt(mean(c...: square(x[..., c...])) + (eps ?? 1e-06))
///   output[..., c...] = x[..., c...] * r[...] * weight[c...]
/// Throws Error naming the argument for a call that the entry does not allow; nothing is
/// written then. Outputs must not overlap inputs. Callable from any thread.
class RMSNormFwdOp {
 public:
  struct Params {
    Ints normalized_shape{};  ///< required
    ParamValue eps = 1e-06;
  };
  RMSNormFwdOp() : RMSNormFwdOp(Params{}) {}
  RMSNormFwdOp(const Params& params)  // NOLINT(google-explicit-constructor)
      : op_(Operator::find("RMSNormFwdOp")), params_{{"normalized_shape", params.normalized_shape}, {"eps", params.eps}} {}

  Tensor operator()(const TensorView& x, const TensorView& weight, const Context& context = {}) const {
    return std::move(op_.call(std::array<TensorView, 2>{x, weight}, params_, context)[0]);
  }
  void into(const TensorView& x, const TensorView& weight, const TensorView& output, const Context& context = {}) const {
    op_.into(std::array<TensorView, 2>{x, weight}, std::array<TensorView, 1>{output}, params_, context);
  }
  Prepared prepare(const TensorView& x, const TensorView& weight, const TensorView& output, const Context& context = {}) const {
    return op_.prepare(std::array<TensorView, 2>{x, weight}, std::array<TensorView, 1>{output}, params_, context);
  }

 private:
  Operator op_;
  NamedParams params_;
};

}  // namespace tileops
