// The table of docs/tolerance.md: margins of good and of broken implementations. A good one stays
// below 0.5 (0.7 where an intermediate may be rounded), a broken one is refused.
#include <gtest/gtest.h>

#include <cmath>

#include "judged.h"

namespace tileops::certify::oracle {
namespace {

constexpr double kGood = 0.5, kGoodRounded = 0.7, kRefused = 1;

// --- matrix product, bfloat16, K = 7168 ---

constexpr std::int64_t kM = 2, kN = 64, kK = 7168;

Judged gemm() {
  return Judged(entry("      a: {dtype: bfloat16, shape: \"[M, K]\"}\n"
                      "      b: {dtype: bfloat16, shape: \"[N, K]\"}\n",
                      "      d: {dtype: bfloat16, shape: \"[M, N]\"}\n",
                      "    d[m, n] = sum(k: a[m, k] * b[n, k])\n",
                      "M: 2, N: 64, K: 7168, dtypes: [bfloat16]"),
                {{{"M", kM}, {"N", kN}, {"K", kK}}, {}}, DType::kBFloat16);
}

/// Float32 accumulation over [begin, end).
float dot(const Judged& c, std::int64_t m, std::int64_t n, std::int64_t begin, std::int64_t end) {
  float sum = 0;
  for (std::int64_t k = begin; k < end; ++k) sum += c.in32(0, m * kK + k) * c.in32(1, n * kK + k);
  return sum;
}

template <class F>
double gemm_margin(F element) {
  Judged c = gemm();
  for (std::int64_t m = 0; m < kM; ++m) {
    for (std::int64_t n = 0; n < kN; ++n) c.put(m * kN + n, element(c, m, n));
  }
  return c.margin();
}

TEST(Table, GemmInFloat32IsGood) {
  EXPECT_LT(
      gemm_margin([](const Judged& c, auto m, auto n) { return double{dot(c, m, n, 0, kK)}; }),
      kGood);
}

TEST(Table, GemmThatDropsOneTermIsRefused) {
  EXPECT_GT(
      gemm_margin([](const Judged& c, auto m, auto n) { return double{dot(c, m, n, 0, kK - 1)}; }),
      kRefused);
}

TEST(Table, GemmWithPartialSumsInBfloat16IsRefused) {
  EXPECT_GT(gemm_margin([](const Judged& c, auto m, auto n) {
              double sum = 0;
              for (std::int64_t k = 0; k < kK; k += kK / 8) {
                sum = stored(DType::kBFloat16, sum + double{dot(c, m, n, k, k + kK / 8)});
              }
              return sum;
            }),
            kRefused);
}

// --- softmax over 4096 ---

double softmax_margin(std::int64_t summed) {
  Judged c(entry("      x: {dtype: float32, shape: \"[M, N]\"}\n",
                 "      y: {dtype: float32, shape: \"[M, N]\"}\n",
                 "    y[m, n] = softmax(n: x[m, n])\n", "M: 2, N: 4096, dtypes: [float32]"),
           {{{"M", 2}, {"N", 4096}}, {}}, DType::kFloat32);
  for (std::int64_t m = 0; m < 2; ++m) {
    float largest = -INFINITY, sum = 0;
    for (std::int64_t n = 0; n < 4096; ++n) largest = std::max(largest, c.in32(0, m * 4096 + n));
    for (std::int64_t n = 0; n < summed; ++n) sum += std::exp(c.in32(0, m * 4096 + n) - largest);
    for (std::int64_t n = 0; n < 4096; ++n) {
      c.put(m * 4096 + n, double{std::exp(c.in32(0, m * 4096 + n) - largest) / sum});
    }
  }
  return c.margin();
}

TEST(Table, SoftmaxInFloat32IsGood) {
  EXPECT_LT(softmax_margin(4096), kGood);
}
TEST(Table, SoftmaxThatDropsOneTermIsRefused) {
  EXPECT_GT(softmax_margin(4095), kRefused);
}

// --- RMSNorm over 8192 ---

double rms_norm_margin(double count) {
  Judged c(entry("      x: {dtype: bfloat16, shape: \"[M, N]\"}\n",
                 "      y: {dtype: bfloat16, shape: \"[M, N]\"}\n",
                 "    r[m] = rsqrt(mean(n: square(x[m, n])) + 1e-6)\n"
                 "    y[m, n] = x[m, n] * r[m]\n",
                 "M: 2, N: 8192, dtypes: [bfloat16]"),
           {{{"M", 2}, {"N", 8192}}, {}}, DType::kBFloat16);
  for (std::int64_t m = 0; m < 2; ++m) {
    float sum = 0;
    for (std::int64_t n = 0; n < 8192; ++n)
      sum += c.in32(0, m * 8192 + n) * c.in32(0, m * 8192 + n);
    float r = 1 / std::sqrt(sum / static_cast<float>(count) + 1e-6F);
    for (std::int64_t n = 0; n < 8192; ++n)
      c.put(m * 8192 + n, double{c.in32(0, m * 8192 + n) * r});
  }
  return c.margin();
}

TEST(Table, RmsNormInFloat32IsGood) {
  EXPECT_LT(rms_norm_margin(8192), kGood);
}
TEST(Table, RmsNormOverAWrongCountIsRefused) {
  EXPECT_GT(rms_norm_margin(8191), kRefused);
}

// --- a sum of a million float32 ---

double sum_margin(std::int64_t dropped) {
  constexpr std::int64_t kCount = 1000000;
  Judged c(entry("      x: {dtype: float32, shape: \"[N]\"}\n",
                 "      y: {dtype: float32, shape: \"[]\"}\n", "    y[] = sum(n: x[n])\n",
                 "N: 1000000, dtypes: [float32]"),
           {{{"N", kCount}}, {}}, DType::kFloat32);
  float lanes[16] = {};  // as a vector unit adds
  for (std::int64_t n = 0; n < kCount - dropped; ++n) lanes[n % 16] += c.in32(0, n);
  float sum = 0;
  for (float lane : lanes) sum += lane;
  c.put(0, double{sum});
  return c.margin();
}

TEST(Table, SumInFloat32IsGood) {
  EXPECT_LT(sum_margin(0), kGood);
}
TEST(Table, SumThatDropsAFewTermsIsRefused) {
  EXPECT_GT(sum_margin(4), kRefused);
}

// --- attention with rounded probabilities ---

constexpr std::int64_t kDim = 16;

std::string attention(std::int64_t keys) {
  return entry(
      "      q: {dtype: bfloat16, shape: \"[Q, D]\"}\n"
      "      k: {dtype: bfloat16, shape: \"[S, D]\"}\n"
      "      v: {dtype: bfloat16, shape: \"[S, D]\"}\n",
      "      o: {dtype: bfloat16, shape: \"[Q, D]\"}\n",
      "    t[i, j] = 0.25 * sum(d: q[i, d] * k[j, d])\n"
      "    p[i, j] = softmax(j: t[i, j])\n"
      "    o[i, d] = sum(j: p[i, j] * v[j, d])\n",
      "Q: 1, S: " + std::to_string(keys) + ", D: 16, dtypes: [bfloat16]",
      "  may_round: {p: bfloat16}\n");
}

/// Probabilities in bfloat16, sums in float32; key `skipped` is not seen.
void attend(Judged& c, std::int64_t keys, std::int64_t skipped) {
  std::vector<float> t(static_cast<std::size_t>(keys));
  float largest = -INFINITY, sum = 0;
  for (std::int64_t j = 0; j < keys; ++j) {
    float dot = 0;
    for (std::int64_t d = 0; d < kDim; ++d) dot += c.in32(0, d) * c.in32(1, j * kDim + d);
    t[static_cast<std::size_t>(j)] = 0.25F * dot;
    largest = std::max(largest, 0.25F * dot);
  }
  for (std::int64_t j = 0; j < keys; ++j) {
    if (j != skipped) sum += std::exp(t[static_cast<std::size_t>(j)] - largest);
  }
  std::vector<float> out(static_cast<std::size_t>(kDim));
  for (std::int64_t j = 0; j < keys; ++j) {
    if (j == skipped) continue;
    double p = double{std::exp(t[static_cast<std::size_t>(j)] - largest) / sum};
    auto rounded = static_cast<float>(stored(DType::kBFloat16, p));
    for (std::int64_t d = 0; d < kDim; ++d) {
      out[static_cast<std::size_t>(d)] += rounded * c.in32(2, j * kDim + d);
    }
  }
  for (std::int64_t d = 0; d < kDim; ++d) c.put(d, double{out[static_cast<std::size_t>(d)]});
}

double attention_margin(std::int64_t keys, std::int64_t skipped, bool needle) {
  Judged c(attention(keys), {{{"Q", 1}, {"S", keys}, {"D", kDim}}, {}}, DType::kBFloat16);
  for (std::int64_t d = 0; needle && d < kDim;
       ++d) {  // the last key alone has the query's direction
    store_element(c.inputs[1], (keys - 1) * kDim + d, 8 * c.in(0, d));
  }
  attend(c, keys, skipped);
  return c.margin();
}

TEST(Table, AttentionWithRoundedProbabilitiesIsGood) {
  EXPECT_LT(attention_margin(2048, -1, false), kGoodRounded);
}
TEST(Table, AttentionThatDropsTheLargestKeyIsRefused) {
  EXPECT_GT(attention_margin(2048, 2047, true), kRefused);
}
TEST(Table, ANeedleFindsOneKeyOf128Thousand) {
  constexpr std::int64_t kKeys = 128 * 1024;
  EXPECT_LT(attention_margin(kKeys, -1, true), kGoodRounded);
  EXPECT_GT(attention_margin(kKeys, kKeys - 1, true), kRefused);
}

}  // namespace
}  // namespace tileops::certify::oracle
