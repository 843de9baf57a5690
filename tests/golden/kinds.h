// Printed from manifest/kinds.yaml by tileops-emit; do not edit.
// Typed operators of the family `kinds`.
#pragma once

#include <array>
#include <utility>

#include "tileops/operator.h"

namespace tileops {

/// An optional input, two outputs, parameters of every type.
///
/// Inputs
///   x: [..., N], float16 or bfloat16
///   weight: [N], same dtype as x; optional
/// Outputs
///   y: [..., N], same dtype as x
///   total: [...], float32
/// Definition
///   y[..., n] = (weight is given ? x[..., n] * weight[n] : x[..., n]) * (twice ? 2 * scale : scale)
///   total[...] = sum(n: x[..., n]) + count + (eps ?? 0) + len(dims) + (kind == "plain" ? 0 : 1)
/// Throws Error naming the argument for a call that the entry does not allow; nothing is
/// written then. Outputs must not overlap inputs. Callable from any thread.
class KindsFwdOp {
 public:
  struct Params {
    std::int64_t count{};  ///< required
    ParamValue eps = 1e-06;
    double scale = 2.0;
    bool twice = false;
    Ints dims = Ints{0, 1};
    std::string kind = "plain";
  };
  struct Outputs {
    Tensor y, total;
  };
  KindsFwdOp() : KindsFwdOp(Params{}) {}
  KindsFwdOp(const Params& params)  // NOLINT(google-explicit-constructor)
      : op_(Operator::find("KindsFwdOp")), params_{{"count", params.count}, {"eps", params.eps}, {"scale", params.scale}, {"twice", params.twice}, {"dims", params.dims}, {"kind", params.kind}} {}

  Outputs operator()(const TensorView& x, const TensorView& weight = {}, const Context& context = {}) const {
    auto all = op_.call(std::array<TensorView, 2>{x, weight}, params_, context);
    return {std::move(all[0]), std::move(all[1])};
  }
  void into(const TensorView& x, const TensorView& weight, const TensorView& y, const TensorView& total, const Context& context = {}) const {
    op_.into(std::array<TensorView, 2>{x, weight}, std::array<TensorView, 2>{y, total}, params_, context);
  }
  Prepared prepare(const TensorView& x, const TensorView& weight, const TensorView& y, const TensorView& total, const Context& context = {}) const {
    return op_.prepare(std::array<TensorView, 2>{x, weight}, std::array<TensorView, 2>{y, total}, params_, context);
  }

 private:
  Operator op_;
  NamedParams params_;
};

}  // namespace tileops
