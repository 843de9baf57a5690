// Bands of a page's size on both sides; gaps of strided layouts are guarded as well.
#include "certify/guarded_tensor.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string>
#include <vector>

#include "certify/elements.h"

namespace tileops::certify {
namespace {

constexpr std::size_t kBand = 4096;
constexpr std::int64_t kRowGap = 3;  // elements: odd, so that rows are not aligned

std::size_t bytes_of(const TensorView& view) {
  return size_bytes(view.dtype);
}

/// Sets the steps of `view` and returns the elements that they span.
std::int64_t lay_out(TensorView& view, Layout layout) {
  const std::size_t rank = view.shape().size();  // 0 for an absent input
  std::int64_t step = layout == Layout::kStrided ? 2 : 1;
  for (std::size_t i = 0; i < rank; ++i) {
    const std::size_t axis = layout == Layout::kTransposed ? i : rank - 1 - i;
    if (layout == Layout::kBroadcast && axis == 0) {
      view.steps[axis] = 0;
      continue;
    }
    view.steps[axis] = step;
    step *= std::max<std::int64_t>(view.sizes[axis], 1);
    if (layout == Layout::kPadded && i == 0) step += kRowGap;
  }
  std::int64_t span = 1;
  for (std::size_t axis = 0; axis < rank; ++axis) {
    if (view.sizes[axis] == 0) return 0;
    span += (view.sizes[axis] - 1) * view.steps[axis];
  }
  return span;
}

}  // namespace

std::string_view layout_name(Layout layout) {
  constexpr std::array<std::string_view, 6> kNames{"dense",   "unaligned",  "padded",
                                                   "strided", "transposed", "broadcast"};
  return kNames[static_cast<std::size_t>(layout)];
}

GuardedTensor::GuardedTensor(const TensorView& like, Layout layout)
    : memory_(nullptr, &std::free), view_(like) {
  const auto span = static_cast<std::size_t>(lay_out(view_, layout));
  const std::size_t shift = layout == Layout::kUnaligned ? bytes_of(view_) : 0;
  first_ = kBand + shift;
  last_ = first_ + span * bytes_of(view_);
  size_ = (last_ + kBand + 127) / 128 * 128;
  memory_.reset(static_cast<std::byte*>(std::aligned_alloc(128, size_)));
  if (memory_ == nullptr) throw std::bad_alloc();
  view_.data = memory_.get() + first_;
  poison(kPoison);
}

void GuardedTensor::poison(std::byte pattern) {
  pattern_ = pattern;
  std::memset(memory_.get(), static_cast<int>(pattern), size_);
}

std::string GuardedTensor::damage() const {
  const std::span<std::byte> all = bytes();
  const auto is_changed = [&](std::byte byte) { return byte != pattern_; };
  const auto before =
      std::find_if(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(first_), is_changed);
  if (before != all.begin() + static_cast<std::ptrdiff_t>(first_)) {
    return "byte " + std::to_string(before - all.begin() - static_cast<std::ptrdiff_t>(first_)) +
           " before the first element";
  }
  const auto after =
      std::find_if(all.begin() + static_cast<std::ptrdiff_t>(last_), all.end(), is_changed);
  if (after != all.end()) {
    return "byte " + std::to_string(after - all.begin() - static_cast<std::ptrdiff_t>(last_)) +
           " past the last element";
  }
  if (view_.is_dense() || first_ == last_) return {};
  std::vector<bool> owned(last_ - first_, false);
  const std::int64_t count = view_.numel();
  for (std::int64_t i = 0; i < count; ++i) {
    const auto at = static_cast<std::size_t>(offset_of(view_, i)) * bytes_of(view_);
    for (std::size_t b = 0; b < bytes_of(view_); ++b) owned[at + b] = true;
  }
  for (std::size_t i = 0; i < owned.size(); ++i) {
    if (!owned[i] && is_changed(all[first_ + i])) {
      return "byte " + std::to_string(i) + " of a gap between rows";
    }
  }
  return {};
}

std::uint64_t GuardedTensor::hash() const {
  // FNV-1a over words: any changed word changes the hash, and large inputs stay cheap.
  std::uint64_t hash = 14695981039346656037ULL;
  for (std::size_t i = 0; i < size_; i += sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, memory_.get() + i, sizeof word);
    hash = (hash ^ word) * 1099511628211ULL;
  }
  return hash;
}

bool same_bits(const TensorView& left, const TensorView& right) {
  const std::size_t size = size_bytes(left.dtype);
  const auto* a = static_cast<const std::byte*>(left.data);
  const auto* b = static_cast<const std::byte*>(right.data);
  const std::int64_t count = left.numel();
  if (left.is_dense() && right.is_dense()) {
    return count == 0 || std::memcmp(a, b, static_cast<std::size_t>(count) * size) == 0;
  }
  for (std::int64_t i = 0; i < count; ++i) {
    const auto at_a = static_cast<std::size_t>(offset_of(left, i)) * size;
    const auto at_b = static_cast<std::size_t>(offset_of(right, i)) * size;
    if (std::memcmp(a + at_a, b + at_b, size) != 0) return false;
  }
  return true;
}

}  // namespace tileops::certify
