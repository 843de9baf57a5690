// Memory that the row interpreter works in: a thread's own, kept from call to call, so that a
// repeated call allocates nothing.
#pragma once

#include <hwy/aligned_allocator.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tileops::cpu {

/// Floats that grow and never shrink; aligned for vectors, uninitialised.
class GrowingFloats {
 public:
  float* at_least(std::size_t count);

 private:
  hwy::AlignedFreeUniquePtr<float[]> memory_;
  std::size_t size_ = 0;
};

struct RowScratch {
  GrowingFloats blocks, kept;
  std::vector<float> numbers;
  std::vector<std::int64_t> row_bases, bases;
};

/// A scratch of this thread for as long as the object lives; leases within one another get
/// different ones.
class ScratchLease {
 public:
  ScratchLease();
  ~ScratchLease();
  ScratchLease(const ScratchLease&) = delete;
  ScratchLease& operator=(const ScratchLease&) = delete;
  RowScratch& operator*() const { return *scratch_; }
  RowScratch* operator->() const { return scratch_; }

 private:
  RowScratch* scratch_;
};

}  // namespace tileops::cpu
