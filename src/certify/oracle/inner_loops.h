// The loops that take an oracle's time: sums of products over lanes, and reading elements.
#pragma once

#include <cstddef>

namespace tileops::certify::oracle {

/// A panel holds the factors of a sum in groups of lanes: [lanes / kGroup][terms][kGroup], zeros
/// where there is no lane. Inputs have at most 32 bits, so float is exact.
inline constexpr std::size_t kGroup = 16;

constexpr std::size_t panel_size(std::size_t terms, std::size_t lanes) {
  return (lanes + kGroup - 1) / kGroup * kGroup * terms;
}

/// What a sum needs to know of its terms (docs/tolerance.md, "Sums"), one array of kLanes each.
struct SumArrays {
  double *s, *largest_prefix, *squares;
};

/// For each lane: terms t = a[k] * panel[k][lane], k ascending.
void add_products(const double* a,
                  const float* panel,
                  std::size_t terms,
                  std::size_t lanes,
                  const SumArrays& sums);

/// The same where a[k] carries errors: e2 += (panel * ea)², b += |panel| * ba.
void add_product_errors(const double* ea,
                        const double* ba,
                        const float* panel,
                        std::size_t terms,
                        std::size_t lanes,
                        double* e2,
                        double* b);

/// Floats to float64: `step` counts elements.
void load_bfloat16(const void* from, std::ptrdiff_t step, std::size_t count, double* to);
void load_float16(const void* from, std::ptrdiff_t step, std::size_t count, double* to);
void load_float32(const void* from, std::ptrdiff_t step, std::size_t count, double* to);

}  // namespace tileops::certify::oracle
