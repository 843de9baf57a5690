// Counter-based: element i depends on the seed and i alone, so any thread may make it.
#include "certify/inputs/values.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <iterator>
#include <limits>
#include <numbers>

#include "certify/elements.h"

namespace tileops::certify {
namespace {

/// SplitMix64 (Steele, Lea, Flood 2014): one good 64-bit hash of a counter.
std::uint64_t hash(std::uint64_t seed, std::uint64_t index) {
  std::uint64_t z = seed * 0xD1342543DE82EF95ULL + (index + 1) * 0x9E3779B97F4A7C15ULL;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
  return z ^ (z >> 31);
}

/// Sum of four uniform 16-bit numbers, scaled to variance 1 (normal within 3 sigma to about 1 %),
/// plus bits below 2^-16, so that float32 values have random low bits too.
double about_normal(std::uint64_t bits, std::uint64_t low) {
  double sum = 0;
  for (int i = 0; i < 4; ++i) sum += static_cast<double>((bits >> (16 * i)) & 0xFFFF) / 65536.0;
  sum += static_cast<double>(low >> 11) * 0x1p-53 * 0x1p-16;
  return (sum - 2.0) * std::numbers::sqrt3;
}

struct Extremes {
  double largest, smallest;  ///< finite and positive
};

Extremes extremes_of(DType dtype) {
  switch (dtype) {
    case DType::kFloat8E4M3:
      return {448, 0x1p-9};
    case DType::kFloat8E5M2:
      return {57344, 0x1p-16};
    case DType::kFloat16:
      return {65504, 0x1p-24};
    case DType::kBFloat16:
      return {0x1.FEp127, 0x1p-133};
    case DType::kFloat32:
    case DType::kComplex64:
      return {std::numeric_limits<float>::max(), std::numeric_limits<float>::denorm_min()};
    case DType::kFloat64:
    case DType::kComplex128:
      return {std::numeric_limits<double>::max(), std::numeric_limits<double>::denorm_min()};
    default:
      return {100, 1};
  }
}

double special(Data data, std::uint64_t bits, DType dtype) {
  const double sign = (bits & 1) != 0 ? -1.0 : 1.0;
  const auto small = static_cast<double>(1 + ((bits >> 8) & 7));
  switch (data) {
    case Data::kInfinities:
      return sign * std::numeric_limits<double>::infinity();
    case Data::kNans:
      return std::numeric_limits<double>::quiet_NaN();
    case Data::kZeros:
      return sign * 0.0;
    case Data::kDenormals:
      return sign * extremes_of(dtype).smallest * small;
    case Data::kExtremes:
      return sign * extremes_of(dtype).largest;
    case Data::kTies:
      return sign * (2 * small + 1) * 0.03125;
    default:
      return 0;
  }
}

/// One element in how many is special; sparse ones leave the others meaningful.
std::uint64_t sparsity(Data data, std::int64_t count) {
  switch (data) {
    case Data::kZeros:
    case Data::kDenormals:
    case Data::kTies:
      return 2;
    default:  // one infinity or nan decides a whole row or product: keep most rows free of it
      return static_cast<std::uint64_t>(std::clamp<std::int64_t>(count / 3, 2, 4096));
  }
}

/// Which element of a row of `size` is the needle: at a tile's edge half of the time.
std::int64_t needle_place(std::uint64_t bits, std::int64_t size) {
  constexpr std::int64_t kEdges[] = {0, 1, 15, 16, 31, 32, 63, 64, 127, 128, 255, 256, 511, 512};
  const auto random = static_cast<std::int64_t>((bits >> 8) % static_cast<std::uint64_t>(size));
  if ((bits & 1) != 0) return random;
  const std::int64_t edge = kEdges[(bits >> 1) % std::size(kEdges)];
  const bool from_end = ((bits >> 7) & 1) != 0;  // tails end where tiles do not
  return edge >= size ? size - 1 : (from_end ? size - 1 - edge : edge);
}

double value_at(
    Data data, std::uint64_t seed, std::int64_t index, std::int64_t count, DType dtype) {
  const auto i = static_cast<std::uint64_t>(index);
  const std::uint64_t bits = hash(seed, 2 * i), more = hash(seed, 2 * i + 1);
  switch (data) {
    case Data::kRandom:
      return about_normal(bits, more);
    case Data::kConstant:
      return 0.5 * static_cast<double>(1 + (seed & 3));
    case Data::kSorted:
      return std::floor(16.0 * static_cast<double>(index) / static_cast<double>(count)) / 8 - 1;
    case Data::kIntegers:
      return static_cast<double>(bits & 1) - static_cast<double>(bits >> 1 & 1);
    case Data::kMixed: {
      constexpr Data kAll[] = {Data::kInfinities, Data::kNans,     Data::kZeros,
                               Data::kDenormals,  Data::kExtremes, Data::kTies};
      if (more % sparsity(data, count) != 0) return about_normal(bits, more);
      return special(kAll[bits % 6], bits >> 8, dtype);
    }
    default:
      if (more % sparsity(data, count) != 0) return about_normal(bits, more);
      return special(data, bits, dtype);
  }
}

double integer_at(std::uint64_t seed, std::int64_t index, DType dtype) {
  const std::uint64_t bits = hash(seed, static_cast<std::uint64_t>(index));
  if (dtype == DType::kBool) return static_cast<double>(bits & 1);
  const auto value = static_cast<double>(bits % 201);
  return dtype == DType::kUInt8 ? value : value - 100.0;
}

/// Zeros, and one other element in every line along `axis`.
void fill_needles(const TensorView& view, std::size_t axis, std::uint64_t seed) {
  const std::int64_t count = view.numel();
  if (view.is_dense()) {
    if (count > 0) std::memset(view.data, 0, static_cast<std::size_t>(view.size_bytes()));
  } else {
    for (std::int64_t i = 0; i < count; ++i) store_element(view, offset_of(view, i), 0);
  }
  if (count == 0) return;
  std::int64_t step = 1;
  for (std::size_t inner = axis + 1; inner < view.shape().size(); ++inner) {
    step *= view.sizes[inner];
  }
  const std::int64_t size = view.sizes[axis];
  for (std::int64_t line = 0; line < count / size; ++line) {
    const std::uint64_t bits = hash(seed, static_cast<std::uint64_t>(line));
    const std::int64_t first = line / step * step * size + line % step;
    const auto value = static_cast<double>(1 + (bits >> 32) % 3);
    store_element(view, offset_of(view, first + needle_place(bits, size) * step),
                  (bits >> 40 & 1) != 0 ? -value : value);
  }
}

/// Repeats the first `period` elements of a dense tensor.
void repeat(const TensorView& view, std::int64_t period) {
  const auto size = static_cast<std::int64_t>(size_bytes(view.dtype));
  auto* bytes = static_cast<std::byte*>(view.data);
  for (std::int64_t begin = period; begin < view.numel(); begin += period) {
    const std::int64_t count = std::min(period, view.numel() - begin);
    std::memcpy(bytes + begin * size, bytes, static_cast<std::size_t>(count * size));
  }
}

}  // namespace

void fill_values(const TensorView& view, Data data, std::uint64_t seed, int threads) {
  const bool real = is_floating(view.dtype) || is_complex(view.dtype);
  const bool needles = data == Data::kRowNeedles || data == Data::kColumnNeedles;
  if (real && needles && view.rank > 0) {
    const std::size_t last = view.shape().size() - 1;
    return fill_needles(view, data == Data::kRowNeedles ? last : 0, seed);
  }
  const std::int64_t count = view.numel();
  const bool dense = view.is_dense();
  // A prime: large tensors repeat, but never at the same place of a row.
  constexpr std::int64_t kPeriod = 4194301;
  const bool repeats =
      dense && count > kPeriod && (data == Data::kRandom || data == Data::kIntegers);
  const std::int64_t made = repeats ? kPeriod : count;
#pragma omp parallel for num_threads(std::max(threads, 1)) schedule(static) if (made > 65536)
  for (std::int64_t i = 0; i < made; ++i) {
    const double value =
        real ? value_at(data, seed, i, count, view.dtype) : integer_at(seed, i, view.dtype);
    store_element(view, dense ? i : offset_of(view, i), value);
  }
  if (repeats) repeat(view, kPeriod);
}

}  // namespace tileops::certify
