// Each loop is compiled for the instruction sets below and chosen once at run time.
#include "certify/oracle/inner_loops.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

namespace tileops::certify::oracle {
namespace {

#define TILEOPS_INLINE inline __attribute__((always_inline))

constexpr std::size_t kWide = 32;

template <std::size_t N>
TILEOPS_INLINE void products_of(const double* a,
                                const double* panel,
                                std::size_t terms,
                                std::size_t lanes,
                                const SumArrays& out,
                                std::size_t first) {
  double s[N], largest[N], squares[N], magnitudes[N];
  for (std::size_t i = 0; i < N; ++i) {
    s[i] = out.s[first + i];
    largest[i] = out.largest_prefix[first + i];
    squares[i] = out.squares[first + i];
    magnitudes[i] = out.magnitudes[first + i];
  }
  for (std::size_t k = 0; k < terms; ++k) {
    const double* row = panel + k * lanes + first;
    for (std::size_t i = 0; i < N; ++i) {
      double t = a[k] * row[i];
      s[i] += t;
      double prefix = std::abs(s[i]);
      largest[i] = largest[i] > prefix ? largest[i] : prefix;
      squares[i] += t * t;
      magnitudes[i] += std::abs(t);
    }
  }
  for (std::size_t i = 0; i < N; ++i) {
    out.s[first + i] = s[i];
    out.largest_prefix[first + i] = largest[i];
    out.squares[first + i] = squares[i];
    out.magnitudes[first + i] = magnitudes[i];
  }
}

TILEOPS_INLINE void products(const double* a,
                             const double* panel,
                             std::size_t terms,
                             std::size_t lanes,
                             const SumArrays& out) {
  std::size_t first = 0;
  for (; first + kWide <= lanes; first += kWide) {
    products_of<kWide>(a, panel, terms, lanes, out, first);
  }
  for (; first + 8 <= lanes; first += 8) products_of<8>(a, panel, terms, lanes, out, first);
  for (; first < lanes; ++first) products_of<1>(a, panel, terms, lanes, out, first);
}

TILEOPS_INLINE void product_errors(const double* ea,
                                   const double* ba,
                                   const double* panel,
                                   std::size_t terms,
                                   std::size_t lanes,
                                   double* e2,
                                   double* b) {
  for (std::size_t k = 0; k < terms; ++k) {
    const double* row = panel + k * lanes;
    double e = ea[k] * ea[k], bias = ba[k];
    if (bias == 0) {
      for (std::size_t i = 0; i < lanes; ++i) e2[i] += row[i] * row[i] * e;
      continue;
    }
    for (std::size_t i = 0; i < lanes; ++i) {
      e2[i] += row[i] * row[i] * e;
      b[i] += row[i] == 0 ? 0 : std::abs(row[i]) * bias;
    }
  }
}

TILEOPS_INLINE void bfloat16s(const std::uint16_t* from,
                              std::ptrdiff_t step,
                              std::size_t count,
                              double* to) {
  for (std::size_t i = 0; i < count; ++i) {
    auto bits = static_cast<std::uint32_t>(from[static_cast<std::ptrdiff_t>(i) * step]) << 16;
    to[i] = static_cast<double>(std::bit_cast<float>(bits));
  }
}

TILEOPS_INLINE void float16s(const std::uint16_t* from,
                             std::ptrdiff_t step,
                             std::size_t count,
                             double* to) {
  for (std::size_t i = 0; i < count; ++i) {
    std::uint32_t half = from[static_cast<std::ptrdiff_t>(i) * step];
    // Exponent and mantissa in a float's places, then scaled by the difference of the biases.
    float value = std::bit_cast<float>((half & 0x7FFFU) << 13) * 0x1p112F;
    std::uint32_t bits = std::bit_cast<std::uint32_t>(value) | (half & 0x8000U) << 16;
    if ((half & 0x7C00U) == 0x7C00U) bits |= 0x7F800000U;  // infinity or nan
    to[i] = static_cast<double>(std::bit_cast<float>(bits));
  }
}

#define TILEOPS_VARIANTS(name, body, parameters, arguments)                            \
  __attribute__((target("avx512f,avx512dq,avx512vl"))) void name##_avx512 parameters { \
    body arguments;                                                                    \
  }                                                                                    \
  __attribute__((target("avx2,fma"))) void name##_avx2 parameters {                    \
    body arguments;                                                                    \
  }                                                                                    \
  void name##_plain parameters {                                                       \
    body arguments;                                                                    \
  }

#if defined(__x86_64__)
TILEOPS_VARIANTS(products,
                 products,
                 (const double* a,
                  const double* panel,
                  std::size_t terms,
                  std::size_t lanes,
                  const SumArrays& out),
                 (a, panel, terms, lanes, out))
TILEOPS_VARIANTS(product_errors,
                 product_errors,
                 (const double* ea,
                  const double* ba,
                  const double* panel,
                  std::size_t terms,
                  std::size_t lanes,
                  double* e2,
                  double* b),
                 (ea, ba, panel, terms, lanes, e2, b))
TILEOPS_VARIANTS(bfloat16s,
                 bfloat16s,
                 (const std::uint16_t* from, std::ptrdiff_t step, std::size_t count, double* to),
                 (from, step, count, to))
TILEOPS_VARIANTS(float16s,
                 float16s,
                 (const std::uint16_t* from, std::ptrdiff_t step, std::size_t count, double* to),
                 (from, step, count, to))

enum class Isa { kPlain, kAvx2, kAvx512 };
Isa isa() {
  static const Isa found = __builtin_cpu_supports("avx512vl") ? Isa::kAvx512
                           : __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")
                               ? Isa::kAvx2
                               : Isa::kPlain;
  return found;
}
#define TILEOPS_DISPATCH(name, ...)      \
  switch (isa()) {                       \
    case Isa::kAvx512:                   \
      return name##_avx512(__VA_ARGS__); \
    case Isa::kAvx2:                     \
      return name##_avx2(__VA_ARGS__);   \
    case Isa::kPlain:                    \
      return name##_plain(__VA_ARGS__);  \
  }
#else
#define TILEOPS_DISPATCH(name, ...) return name(__VA_ARGS__)
#endif

}  // namespace

void add_products(const double* a,
                  const double* panel,
                  std::size_t terms,
                  std::size_t lanes,
                  const SumArrays& sums) {
  TILEOPS_DISPATCH(products, a, panel, terms, lanes, sums)
}
void add_product_errors(const double* ea,
                        const double* ba,
                        const double* panel,
                        std::size_t terms,
                        std::size_t lanes,
                        double* e2,
                        double* b) {
  TILEOPS_DISPATCH(product_errors, ea, ba, panel, terms, lanes, e2, b)
}
void load_bfloat16(const void* from, std::ptrdiff_t step, std::size_t count, double* to) {
  TILEOPS_DISPATCH(bfloat16s, static_cast<const std::uint16_t*>(from), step, count, to)
}
void load_float16(const void* from, std::ptrdiff_t step, std::size_t count, double* to) {
  TILEOPS_DISPATCH(float16s, static_cast<const std::uint16_t*>(from), step, count, to)
}

}  // namespace tileops::certify::oracle
