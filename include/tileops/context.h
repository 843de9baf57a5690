// Where a call runs: device, stream, threads, and whose memory it uses.
#pragma once

#include <cstddef>
#include <memory>

#include "tileops/tensor.h"

namespace tileops {

/// Gives memory for outputs and workspace. Must be callable from any thread.
class Allocator {
 public:
  virtual ~Allocator() = default;
  /// At least `bytes` bytes aligned to 128, usable on `stream`. Throws Error(kMachine).
  virtual std::shared_ptr<void> allocate(std::size_t bytes, Device device, void* stream) = 0;
};

/// The library's own caching allocator for CPU memory; lives for the whole process.
Allocator& default_allocator();

/// A small value; copy it freely. The allocator must outlive the calls made with it.
struct Context {
  Device device;
  void* stream = nullptr;  ///< the caller's stream on GPUs; null on the CPU
  int threads = 0;         ///< CPU threads of a call; 0: OpenMP's default
  Allocator* allocator = &default_allocator();
};

}  // namespace tileops
