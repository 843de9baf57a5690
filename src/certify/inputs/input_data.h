// Seeded contents of inputs, one generator a role. The same seed gives the same bits on every
// machine and for any number of threads. Knows nothing of operators.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "tileops/tensor.h"

namespace tileops::certify {

/// What the values are to bring to light.
enum class Data : std::uint8_t {
  kRandom,    ///< about normal, with random low bits
  kConstant,  ///< one exactly representable value everywhere
  kSorted,    ///< ascending and exactly representable, with repeats
  kInfinities,
  kNans,
  kZeros,          ///< 0 and -0 among the values
  kDenormals,      ///< the smallest magnitudes
  kExtremes,       ///< the largest finite magnitudes
  kTies,           ///< values that lie halfway once multiplied or rounded: odd multiples of 2^-k
  kMixed,          ///< all of the above, sparsely
  kIntegers,       ///< -1, 0, 1: sums of products are exact in any order, at any length
  kRowNeedles,     ///< one element of each row is not 0: at tile edges and random places
  kColumnNeedles,  ///< the same along the first axis
};

std::string_view data_name(Data data);

/// Whether the low bits are random, so that the whole-tensor tests of the tolerance hold.
bool has_random_low_bits(Data data);

/// Fills every element of `view`. Throws Error(kNotImplemented) for a role without generator.
void fill_input(
    const TensorView& view, std::string_view role, Data data, std::uint64_t seed, int threads);

}  // namespace tileops::certify
