// Chooses the generator of a role.
#include "certify/inputs/input_data.h"

#include <array>

#include "certify/inputs/values.h"
#include "tileops/error.h"

namespace tileops::certify {

std::string_view data_name(Data data) {
  constexpr std::array<std::string_view, 13> kNames{
      "random",   "constant", "sorted", "infinities", "nans",        "zeros",         "denormals",
      "extremes", "ties",     "mixed",  "integers",   "row needles", "column needles"};
  return kNames[static_cast<std::size_t>(data)];
}

bool has_random_low_bits(Data data) {
  return data == Data::kRandom;
}

void fill_input(
    const TensorView& view, std::string_view role, Data data, std::uint64_t seed, int threads) {
  if (role != "values") {
    throw Error(ErrorKind::kNotImplemented,
                {.op = "certify",
                 .argument = "role " + std::string(role),
                 .expected = "a role with an input generator",
                 .actual = "only `values` has one so far",
                 .mend = "give the input as a file: tileops run --load DIR"});
  }
  fill_values(view, data, seed, threads);
}

}  // namespace tileops::certify
