// How fast the oracle is, on one thread, on bodies of each kind that it meets: a product,
// attention, a row reduction, functions of one element. `flops` counts 2 for a multiplication with
// its addition.
//   build/release/bin/oracle_rate
#include <benchmark/benchmark.h>

#include "oracle/judged.h"

namespace tileops::certify::oracle {
namespace {

void measure(benchmark::State& state, Judged& call, double flops) {
  for (auto _ : state) benchmark::DoNotOptimize(call.values().x.data());
  using benchmark::Counter;
  state.counters["flops"] = Counter(flops, Counter::kIsIterationInvariantRate, Counter::kIs1000);
  state.counters["elements"] = Counter(static_cast<double>(call.output.view().numel()),
                                       Counter::kIsIterationInvariantRate, Counter::kIs1000);
}

void product(benchmark::State& state, const char* layout, DType dtype) {
  const spec::Sizes sizes{{{"M", 128}, {"N", 1024}, {"K", 2048}}, {}};
  const bool transposed = std::string(layout) == "[N, K]";
  Judged call(entry("      a: {dtype: bfloat16 | float32, shape: \"[M, K]\"}\n"
                    "      b: {dtype: same_as(a), shape: \"" +
                        std::string(layout) + "\"}\n",
                    "      d: {dtype: same_as(a), shape: \"[M, N]\"}\n",
                    transposed ? "    d[m, n] = sum(k: a[m, k] * b[n, k])\n"
                               : "    d[m, n] = sum(k: a[m, k] * b[k, n])\n",
                    "M: 2, N: 64, K: 512, dtypes: [bfloat16, float32]"),
              sizes, dtype);
  measure(state, call, 2.0 * 128 * 1024 * 2048);
}
BENCHMARK_CAPTURE(product, nt_bfloat16, "[N, K]", DType::kBFloat16)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(product, nn_bfloat16, "[K, N]", DType::kBFloat16)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(product, nt_float32, "[N, K]", DType::kFloat32)->Unit(benchmark::kMillisecond);

void attention(benchmark::State& state) {
  constexpr double kS = 1024, kH = 4, kD = 128;
  const spec::Sizes sizes{{{"B", 1}, {"S", 1024}, {"H", 4}, {"G", 2}, {"D", 128}}, {}};
  Judged call(entry("      q: {dtype: bfloat16, shape: \"[B, S, H, D]\"}\n"
                    "      k: {dtype: bfloat16, shape: \"[B, S, G, D]\"}\n"
                    "      v: {dtype: bfloat16, shape: \"[B, S, G, D]\"}\n",
                    "      o: {dtype: bfloat16, shape: \"[B, S, H, D]\"}\n"
                    "    rules: [\"H % G == 0\"]\n",
                    "    R := H / G\n"
                    "    s[b, h, i, j] = rsqrt(D) * sum(d: q[b, i, h, d] * k[b, j, h / R, d])\n"
                    "    p[b, h, i, j] = softmax(j | j <= i: s[b, h, i, j]) else 0\n"
                    "    o[b, i, h, d] = sum(j: p[b, h, i, j] * v[b, j, h / R, d])\n",
                    "B: 1, S: 8, H: 4, G: 2, D: 128, dtypes: [bfloat16]"),
              sizes, DType::kBFloat16);
  measure(state, call, 4 * kH * kS * kS * kD);
}
BENCHMARK(attention)->Unit(benchmark::kMillisecond);

void rms_norm(benchmark::State& state) {
  const spec::Sizes sizes{{{"M", 64}, {"N", 4096}}, {}};
  Judged call(entry("      x: {dtype: bfloat16, shape: \"[M, N]\"}\n"
                    "      weight: {dtype: bfloat16, shape: \"[N]\"}\n",
                    "      y: {dtype: bfloat16, shape: \"[M, N]\"}\n",
                    "    y[m, n] = x[m, n] * rsqrt(mean(j: square(x[m, j])) + 1e-6) * weight[n]\n",
                    "M: 2, N: 64, dtypes: [bfloat16]"),
              sizes, DType::kBFloat16);
  measure(state, call, 6.0 * 64 * 4096);
}
BENCHMARK(rms_norm)->Unit(benchmark::kMillisecond);

void silu_and_mul(benchmark::State& state) {
  const spec::Sizes sizes{{{"M", 64}, {"N", 4096}}, {}};
  Judged call(
      entry("      x: {dtype: bfloat16, shape: \"[M, N]\"}\n"
            "      gate: {dtype: bfloat16, shape: \"[M, N]\"}\n",
            "      y: {dtype: bfloat16, shape: \"[M, N]\"}\n",
            "    y[m, n] = silu(gate[m, n]) * x[m, n]\n", "M: 2, N: 64, dtypes: [bfloat16]"),
      sizes, DType::kBFloat16);
  measure(state, call, 5.0 * 64 * 4096);
}
BENCHMARK(silu_and_mul)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace tileops::certify::oracle
