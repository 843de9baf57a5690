// A caching allocator for CPU memory: blocks go back to a list of their size class, so that a loop
// of calls asks the system for memory only in its first round.
#include <algorithm>
#include <bit>
#include <cstdlib>
#include <map>
#include <mutex>
#include <vector>

#include "tileops/context.h"
#include "tileops/error.h"

namespace tileops {
namespace {

constexpr std::size_t kAlignment = 128;
constexpr std::size_t kMostCached = std::size_t{1} << 30;  // bytes kept for later, over all classes

/// Classes are eighths between powers of two: at most 12.5 % is wasted.
std::size_t class_of(std::size_t bytes) {
  if (bytes <= 1024) return (std::max<std::size_t>(bytes, 1) + kAlignment - 1) & ~(kAlignment - 1);
  std::size_t eighth = std::bit_floor(bytes - 1) / 8;
  return (bytes + eighth - 1) / eighth * eighth;
}

class CpuAllocator final : public Allocator {
 public:
  std::shared_ptr<void> allocate(std::size_t bytes, Device device, void*) override {
    if (device.type != DeviceType::kCpu) {
      throw Error(ErrorKind::kValue, {{},
                                      "allocator",
                                      "a request for CPU memory",
                                      "a request for another device",
                                      "pass an allocator for it"});
    }
    if (bytes > std::size_t{1} << 62) throw out_of_memory(bytes);
    std::size_t size = class_of(bytes);
    void* block = take(size);
    return std::shared_ptr<void>(block, [this, size](void* done) { give_back(done, size); });
  }

 private:
  static Error out_of_memory(std::size_t bytes) {
    return Error(ErrorKind::kMachine,
                 {{}, "memory", std::to_string(bytes) + " bytes of CPU memory", "none", {}});
  }

  void* take(std::size_t size) {
    {
      std::lock_guard lock(mutex_);
      auto free = free_.find(size);
      if (free != free_.end() && !free->second.empty()) {
        void* block = free->second.back();
        free->second.pop_back();
        cached_ -= size;
        return block;
      }
    }
    void* block = std::aligned_alloc(kAlignment, size);
    if (!block) throw out_of_memory(size);
    return block;
  }

  void give_back(void* block, std::size_t size) {
    {
      std::lock_guard lock(mutex_);
      if (cached_ + size <= kMostCached) {
        free_[size].push_back(block);
        cached_ += size;
        return;
      }
    }
    std::free(block);
  }

  std::mutex mutex_;
  std::map<std::size_t, std::vector<void*>> free_;
  std::size_t cached_ = 0;
};

}  // namespace

Allocator& default_allocator() {
  // Never destroyed: tensors of other static objects may outlive any order of destruction.
  static auto* allocator = new CpuAllocator;
  return *allocator;
}

}  // namespace tileops
