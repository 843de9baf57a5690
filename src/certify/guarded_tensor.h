// A tensor between guard bands: what a kernel writes outside its elements is seen, and so is what
// it leaves unwritten. Knows nothing of operators.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "tileops/tensor.h"

namespace tileops::certify {

/// How a tensor lies in memory.
enum class Layout : std::uint8_t {
  kDense,
  kUnaligned,   ///< dense, one element after an aligned address
  kPadded,      ///< rows of the last axis with a gap between them
  kStrided,     ///< every second element along the last axis
  kTransposed,  ///< the first axis is contiguous
  kBroadcast,   ///< step 0 along the first axis
};

std::string_view layout_name(Layout layout);

class GuardedTensor {
 public:
  /// The same shape and dtype as `like`, in memory of its own. Every byte is `kPoison`.
  GuardedTensor(const TensorView& like, Layout layout);

  const TensorView& view() const { return view_; }

  /// Fills elements, gaps and bands. The patterns are nan in every floating type.
  void poison(std::byte pattern);
  /// Where a byte outside the elements was changed; empty: nowhere.
  std::string damage() const;
  /// Over all bytes: inputs must keep theirs.
  std::uint64_t hash() const;

  static constexpr std::byte kPoison{0xFF};
  static constexpr std::byte kOtherPoison{0x7F};

 private:
  std::span<std::byte> bytes() const { return {memory_.get(), size_}; }

  std::unique_ptr<std::byte[], void (*)(void*)> memory_;
  std::size_t size_ = 0;
  std::size_t first_ = 0, last_ = 0;  ///< bytes that elements and gaps span
  TensorView view_;
  std::byte pattern_ = kPoison;
};

/// Row-major copy of the elements' bytes, for comparing two runs bit for bit.
bool same_bits(const TensorView& left, const TensorView& right);

}  // namespace tileops::certify
