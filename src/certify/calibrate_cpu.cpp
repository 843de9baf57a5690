// Best of several for every rate: a bound must not be beaten by a machine that was busy before.
#include "certify/calibrate_cpu.h"

#include <omp.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>

#include "certify/inputs/input_data.h"
#include "certify/rivals/matmul_onednn.h"
#include "certify/timing.h"
#include "runtime/engine.h"
#include "spec/reader.h"
#include "tileops/error.h"
#include "tileops/operator.h"

namespace tileops::certify {
namespace {

constexpr double kSeconds = 0.08;
constexpr double kMatmulSeconds = 0.4;  // the frequency takes longer to settle under wide products
constexpr std::int64_t kMemoryBytes = 512 << 20;  // several times any last-level cache

double best_us(const std::function<void()>& call, double seconds = kSeconds) {
  const std::vector<Contender> one{{"", [&call](std::size_t) { call(); }}};
  return race(one, {.sets = 1, .seconds = seconds, .rounds = 10}).front().min;
}

/// The widest loads of this machine, and sums that never wait for one another.
__attribute__((target_clones("avx512f", "avx2", "default"))) std::uint64_t sum_words(
    const std::uint64_t* words, std::int64_t count) {
  std::uint64_t sum = 0;
#pragma omp simd reduction(+ : sum)
  for (std::int64_t i = 0; i < count; ++i) sum += words[i];
  return sum;
}

struct Share {
  std::int64_t begin, size;
};
Share share_of(std::int64_t bytes) {
  const std::int64_t each = bytes / omp_get_num_threads() / 64 * 64;
  return {each * omp_get_thread_num(), each};
}

/// Read-only and copy rates give the cost of a byte read and of a byte written. memcpy writes past
/// the caches above a size of its own choice, as any good kernel does.
BandwidthPoint bandwidth(std::int64_t working_set, int threads) {
  // Small sets are gone through often within one parallel region, whose start costs microseconds.
  const std::int64_t passes = std::max<std::int64_t>(1, (16 << 20) / working_set);
  const Tensor from = Tensor::empty({working_set / 8}, DType::kInt64);
  const Tensor to = Tensor::empty({working_set / 16}, DType::kInt64);
  std::memset(from.data<void>(), 1, static_cast<std::size_t>(working_set));
  std::memset(to.data<void>(), 1, static_cast<std::size_t>(working_set / 2));
  volatile std::uint64_t sink = 0;
  const double read = best_us([&] {
#pragma omp parallel num_threads(threads)
    {
      const Share share = share_of(working_set);
      std::uint64_t sum = 0;
      for (std::int64_t pass = 0; pass < passes; ++pass) {
        sum += sum_words(from.data<std::uint64_t>() + share.begin / 8, share.size / 8);
      }
#pragma omp atomic write
      sink = sum;
    }
  });
  const double copy = best_us([&] {
#pragma omp parallel num_threads(threads)
    {
      const Share share = share_of(working_set / 2);
      for (std::int64_t pass = 0; pass < passes; ++pass) {
        std::memcpy(to.data<char>() + share.begin, from.data<char>() + share.begin,
                    static_cast<std::size_t>(share.size));
      }
    }
  });
  const double half = static_cast<double>(working_set * passes) / 2;
  BandwidthPoint point{static_cast<double>(working_set), read / (2 * half), 0};
  point.write_us_per_byte = std::max(0.0, copy / half - point.read_us_per_byte);
  return point;
}

double matmul_per_us(DType dtype) {
  constexpr std::int64_t kSize = 2048;
  const Tensor a = Tensor::empty({kSize, kSize}, dtype), b = Tensor::empty({kSize, kSize}, dtype);
  const Tensor d = Tensor::empty({kSize, kSize}, dtype);
  fill_input(a, "values", Data::kRandom, 1, omp_get_max_threads());
  fill_input(b, "values", Data::kRandom, 2, omp_get_max_threads());
  const auto rival = matmul_onednn(a, b, d, {.transposed_a = false, .transposed_b = true});
  if (!rival) return 0;
  const TensorView inputs[] = {a, b}, outputs[] = {d};
  return 2.0 * kSize * kSize * kSize /
         best_us([&] { rival->run(inputs, outputs); }, kMatmulSeconds);
}

/// Our own loops at their best: nothing but the function, on blocks that stay in L2.
constexpr const char* kRateManifest = R"(
CopyRate:
  summary: One element copied, for the cost of a launch.
  family: elementwise
  since: 0.1.0
  ref_api: none
  signature:
    inputs:
      x: {dtype: float32, shape: "[N]"}
    outputs:
      y: {dtype: same_as(x), shape: "[N]"}
  definition: |
    y[n] = x[n]
  axes: {N: dynamic}
  workloads:
    - {label: one, N: 1, dtypes: [float32]}
SiluRate:
  summary: An exponential and a division an element.
  family: elementwise
  since: 0.1.0
  ref_api: none
  signature:
    inputs:
      x: {dtype: float32, shape: "[N]"}
    outputs:
      y: {dtype: same_as(x), shape: "[N]"}
  definition: |
    y[n] = silu(x[n])
  axes: {N: dynamic}
  workloads:
    - {label: one, N: 1, dtypes: [float32]}
)";

double call_us(runtime::Registry& registry, const char* op, std::int64_t count, int threads) {
  const Tensor x = Tensor::empty({count}, DType::kFloat32);
  const Tensor y = Tensor::empty({count}, DType::kFloat32);
  fill_input(x, "values", Data::kRandom, 1, threads);
  const TensorView inputs[] = {x}, outputs[] = {y};
  Context context;
  context.threads = threads;
  const Prepared prepared = registry.find(op).prepare(inputs, outputs, {}, context);
  return best_us([&] { prepared.run(inputs, outputs); });
}

std::unique_ptr<runtime::Registry> rate_registry() {
  spec::ReadResult read = spec::read_manifest({{"<calibration>", kRateManifest}},
                                              {"<prelude>", "silu(x) := x / (1 + exp(-x))\n"});
  if (!read.diagnostics.empty()) {
    throw Error(ErrorKind::kBug, {.op = "calibrate",
                                  .argument = "manifest",
                                  .expected = "no problems",
                                  .actual = read.diagnostics.to_text(),
                                  .mend = "please report it"});
  }
  return std::make_unique<runtime::Registry>(std::move(read.manifest));
}

}  // namespace

CpuProfile calibrate_cpu(int threads, const Progress& progress) {
  omp_set_num_threads(threads);
  CpuProfile profile;
  profile.threads = threads;
  profile.cache_bytes = static_cast<double>(std::max(0L, sysconf(_SC_LEVEL3_CACHE_SIZE)));
  const std::int64_t sets[] = {64 << 10, 256 << 10, 1 << 20,     4 << 20,
                               16 << 20, 64 << 20,  kMemoryBytes};
  for (const std::int64_t bytes : sets) {
    if (progress) progress("calibrate: bandwidth", profile.bandwidth.size(), 11);
    profile.bandwidth.push_back(bandwidth(bytes, threads));
  }
  for (const DType dtype : {DType::kFloat32, DType::kBFloat16, DType::kFloat16}) {
    if (progress) progress("calibrate: matrix product", 7 + profile.matmul_per_us.size(), 11);
    const double rate = matmul_per_us(dtype);
    if (rate > 0) profile.matmul_per_us[dtype] = rate;
  }
  if (progress) progress("calibrate: functions", 10, 11);
  const auto registry = rate_registry();
  constexpr std::int64_t kElements = 1 << 18;  // 2 MB in and out: within L2 of two cores
  profile.launch_us = call_us(*registry, "CopyRate", 1, threads);
  profile.functions_per_us =
      kElements / call_us(*registry, "SiluRate", kElements * threads / 2, threads) * threads / 2;
  return profile;
}

}  // namespace tileops::certify
