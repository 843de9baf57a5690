// Printed from manifest/gemm.yaml by tileops-emit; do not edit.
// Typed operators of the family `gemm`.
#pragma once

#include <array>
#include <utility>

#include "tileops/operator.h"

namespace tileops {

/// Matrix product with either operand stored transposed.
///
/// An empty K gives zeros, as in PyTorch. The sum may run in any order.
///
/// Inputs
///   a: trans_a ? [K, M] : [M, K], float16 or bfloat16
///   b: trans_b ? [N, K] : [K, N], same dtype as a
/// Outputs
///   d: [M, N], same dtype as a
/// Definition
///   d[m, n] = sum(k: (trans_a ? a[k, m] : a[m, k]) * (trans_b ? b[n, k] : b[k, n]))
/// Throws Error naming the argument for a call that the entry does not allow; nothing is
/// written then. Outputs must not overlap inputs. Callable from any thread.
class GemmFwdOp {
 public:
  struct Params {
    bool trans_a = false;
    bool trans_b = true;
  };
  GemmFwdOp() : GemmFwdOp(Params{}) {}
  GemmFwdOp(const Params& params)  // NOLINT(google-explicit-constructor)
      : op_(Operator::find("GemmFwdOp")), params_{{"trans_a", params.trans_a}, {"trans_b", params.trans_b}} {}

  Tensor operator()(const TensorView& a, const TensorView& b, const Context& context = {}) const {
    return std::move(op_.call(std::array<TensorView, 2>{a, b}, params_, context)[0]);
  }
  void into(const TensorView& a, const TensorView& b, const TensorView& d, const Context& context = {}) const {
    op_.into(std::array<TensorView, 2>{a, b}, std::array<TensorView, 1>{d}, params_, context);
  }
  Prepared prepare(const TensorView& a, const TensorView& b, const TensorView& d, const Context& context = {}) const {
    return op_.prepare(std::array<TensorView, 2>{a, b}, std::array<TensorView, 1>{d}, params_, context);
  }

 private:
  Operator op_;
  NamedParams params_;
};

}  // namespace tileops
