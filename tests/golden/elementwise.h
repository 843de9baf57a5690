// Printed from manifest/elementwise.yaml by tileops-emit; do not edit.
// Typed operators of the family `elementwise`.
#pragma once

#include <array>
#include <utility>

#include "tileops/operator.h"

namespace tileops {

/// Sum of two tensors that broadcast, the second one scaled by alpha.
///
/// On bools the sum is `or`, and alpha scales as a bool does. Integers wrap; a float alpha needs float inputs.
///
/// Inputs
///   input: [...], bool or uint8 or int8 or int16 or int32 or int64 or float16 or bfloat16 or float32
///   other: [...], same dtype as input
/// Outputs
///   output: [...], same dtype as input
/// Definition
///   output[...] = input[...] or alpha != 0 and other[...] when dtype(input) == bool
///   output[...] = input[...] + alpha * other[...] when dtype(input) != bool
/// Throws Error naming the argument for a call that the entry does not allow; nothing is
/// written then. Outputs must not overlap inputs. Callable from any thread.
class AddFwdOp {
 public:
  struct Params {
    ParamValue alpha = std::int64_t{1};
  };
  AddFwdOp() : AddFwdOp(Params{}) {}
  AddFwdOp(const Params& params)  // NOLINT(google-explicit-constructor)
      : op_(Operator::find("AddFwdOp")), params_{{"alpha", params.alpha}} {}

  Tensor operator()(const TensorView& input, const TensorView& other, const Context& context = {}) const {
    return std::move(op_.call(std::array<TensorView, 2>{input, other}, params_, context)[0]);
  }
  void into(const TensorView& input, const TensorView& other, const TensorView& output, const Context& context = {}) const {
    op_.into(std::array<TensorView, 2>{input, other}, std::array<TensorView, 1>{output}, params_, context);
  }
  Prepared prepare(const TensorView& input, const TensorView& other, const TensorView& output, const Context& context = {}) const {
    return op_.prepare(std::array<TensorView, 2>{input, other}, std::array<TensorView, 1>{output}, params_, context);
  }

 private:
  Operator op_;
  NamedParams params_;
};

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
