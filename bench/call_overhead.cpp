// What a call costs beside the kernel's own work: one element, so that all of it is overhead.
//   build/ci/bin/call_overhead
#include <benchmark/benchmark.h>
#include <tileops/ops/elementwise.h>
#include <tileops/ops/normalization.h>

#include <array>

namespace tileops {
namespace {

const Tensor kOne = Tensor::full({1, 2}, DType::kFloat32, 1);

void prepared(benchmark::State& state) {
  const Tensor y = Tensor::full({1, 1}, DType::kFloat32, 0);
  const Prepared call = SiluAndMulFwdOp().prepare(kOne, y);
  const std::array<TensorView, 1> inputs{kOne}, outputs{y};
  for (auto _ : state) call.run(inputs, outputs);
}
BENCHMARK(prepared);

void into(benchmark::State& state) {
  const Tensor y = Tensor::full({1, 1}, DType::kFloat32, 0);
  const SiluAndMulFwdOp op;
  for (auto _ : state) op.into(kOne, y);
}
BENCHMARK(into);

void with_output(benchmark::State& state) {
  const SiluAndMulFwdOp op;
  for (auto _ : state) benchmark::DoNotOptimize(op(kOne).view().data);
}
BENCHMARK(with_output);

void into_with_params(benchmark::State& state) {
  const Tensor x = Tensor::full({1, 8}, DType::kFloat16, 1),
               weight = Tensor::full({8}, DType::kFloat16, 1);
  const Tensor y = Tensor::full({1, 8}, DType::kFloat16, 0);
  const RMSNormFwdOp op({.normalized_shape = Ints{8}});
  for (auto _ : state) op.into(x, weight, y);
}
BENCHMARK(into_with_params);

}  // namespace
}  // namespace tileops
