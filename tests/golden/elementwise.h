// Printed from manifest/elementwise.yaml by tileops-emit; do not edit.
// Typed operators of the family `elementwise`.
#pragma once

#include <array>
#include <utility>

#include "tileops/operator.h"

namespace tileops {

/// SwiGLU's gate: silu of the first half of each row times the second half.
///
/// Inputs
///   x: [M, 2 * N], float16 or bfloat16 or float32
/// Outputs
///   output: [M, N], same dtype as x
/// Definition
///   output[m, n] = silu(x[m, n]) * x[m, n + N]
/// Throws Error naming the argument for a call that the entry does not allow; nothing is
/// written then. Outputs must not overlap inputs. Callable from any thread.
class SiluAndMulFwdOp {
 public:
  SiluAndMulFwdOp() : op_(Operator::find("SiluAndMulFwdOp")) {}

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
