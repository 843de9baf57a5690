// A definition as a small manifest text, inputs, and the margin of what an implementation made.
#pragma once

#include <memory>
#include <random>
#include <string>
#include <vector>

#include "certify/oracle/acceptance.h"
#include "certify/oracle/oracle.h"
#include "spec/instantiate.h"
#include "spec/small_entry.h"
#include "tileops/tensor.h"

namespace tileops::certify::oracle {

/// One operator of `text`, called at `sizes`; every input filled with normal values.
class Judged {
 public:
  Judged(const std::string& text,
         const spec::Sizes& sizes,
         DType dtype,
         const NamedParams& params = {}) {
    const auto [op, functions] = spec::read_entry(text);
    const spec::WorkloadCall call = spec::sized_call(*op, sizes, params, dtype);
    std::mt19937 random(7);
    std::normal_distribution<double> normal;
    for (const TensorView& view : call.inputs) {
      inputs.push_back(Tensor::empty(view.shape(), view.dtype));
      for (std::int64_t i = 0; i < view.numel(); ++i) {
        store_element(inputs.back(), i, normal(random));
      }
    }
    std::vector<TensorView> views(inputs.begin(), inputs.end());
    const spec::CallShapes shapes{views, call.params};
    const spec::Sizes solved = spec::solve_sizes(*op, shapes);
    output = Tensor::empty(spec::infer_outputs(*op, shapes, solved).at(0).shape(),
                           spec::infer_outputs(*op, shapes, solved).at(0).dtype);
    oracle_ = std::make_unique<Oracle>(
        std::make_shared<const spec::Instance>(spec::instantiate(op, functions, shapes, solved)),
        Profile{});
  }

  Values values(int threads = 1) {
    std::vector<TensorView> views(inputs.begin(), inputs.end());
    oracle_->bind(views);
    return oracle_->evaluate(0, 0, output.view().numel(), threads);
  }

  Verdict verdict() {
    Acceptance acceptance(output.dtype(), false, false);
    acceptance.add(values(), output, 0);
    return acceptance.verdict(1);
  }
  double margin() { return verdict().margin; }

  double in(std::size_t input, std::int64_t i) const { return load_element(inputs[input], i); }
  float in32(std::size_t input, std::int64_t i) const { return static_cast<float>(in(input, i)); }
  void put(std::int64_t i, double value) { store_element(output, i, value); }

  std::vector<Tensor> inputs;
  Tensor output;

 private:
  std::unique_ptr<Oracle> oracle_;
};

using spec::entry;

/// To a storage type and back.
inline double stored(DType dtype, double value) {
  Tensor one = Tensor::empty({1}, dtype);
  store_element(one, 0, value);
  return load_element(one, 0);
}

}  // namespace tileops::certify::oracle
