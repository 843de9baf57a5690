// The loops that take an oracle's time: sums of products over lanes, in registers.
#pragma once

#include <cstddef>

namespace tileops::certify::oracle {

/// What a sum needs to know of its terms (docs/tolerance.md, "Sums"), one array a lane.
struct SumArrays {
  double *s, *largest_prefix, *squares, *magnitudes;
};

/// For each lane: terms t = a[k] * panel[k * lanes + lane], k ascending.
void add_products(const double* a,
                  const double* panel,
                  std::size_t terms,
                  std::size_t lanes,
                  const SumArrays& sums);

/// The same where a[k] carries errors: e2 += (panel * ea)², b += |panel| * ba.
void add_product_errors(const double* ea,
                        const double* ba,
                        const double* panel,
                        std::size_t terms,
                        std::size_t lanes,
                        double* e2,
                        double* b);

/// 16-bit floats to float64: `step` counts elements.
void load_bfloat16(const void* from, std::ptrdiff_t step, std::size_t count, double* to);
void load_float16(const void* from, std::ptrdiff_t step, std::size_t count, double* to);

}  // namespace tileops::certify::oracle
