// The truth that kernels are judged by: a block interpreter of an instance in float64 that carries,
// beside each value, the error that a legitimate implementation may have (docs/tolerance.md).
// Never sees src/lower, nor any kernel.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "spec/instance.h"
#include "tileops/tensor.h"

namespace tileops::certify::oracle {

/// Facts of the device under judgement that the tolerance depends on.
struct Profile {
  bool truncating_matrix_units = false;
};

/// Elements of one output: value, RMS error, bias bound (infinity: anything goes, nan included).
/// Undecided conditions widen b to the hull of both branches.
struct Values {
  std::vector<double> x, e, b;
};

class Oracle {
 public:
  /// Throws Error(kNotImplemented) that names the construct it cannot evaluate.
  Oracle(std::shared_ptr<const spec::Instance> instance, Profile profile);
  ~Oracle();

  /// Inputs in the entry's order; they must outlive the calls of evaluate. Any strides.
  void bind(std::span<const TensorView> inputs);

  /// Elements [begin, end) of output `output`, counted in row-major order of its shape.
  /// Runs on `threads` OpenMP threads; results do not depend on their number.
  Values evaluate(int output, std::int64_t begin, std::int64_t end, int threads);

  /// Operations for one element of the output (2 for each term of a product), for budgets.
  double cost_per_element(int output) const;
  /// Elements that share their reductions and so cost little more together, in row-major order:
  /// 4096 for a softmax row, 1 for a product.
  std::int64_t elements_per_row(int output) const;
  /// Of all elements, the share whose errors are independent: 1 / size of a softmax row.
  double independent_share(int output) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tileops::certify::oracle
