// A caching allocator for CPU memory: a freed block stays with the thread that freed it, or goes to
// a list that all threads share, so that a loop of calls asks the system for memory only in its
// first round, and takes no lock after it.
#include <pthread.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <map>
#include <mutex>
#include <span>
#include <string>
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

Error out_of_memory(std::size_t bytes) {
  return Error(ErrorKind::kMachine,
               {{}, "memory", std::to_string(bytes) + " bytes of CPU memory", "none", {}});
}

struct Block {
  void* memory = nullptr;
  std::size_t size = 0;
};

/// Blocks that no thread keeps for itself, by size.
class SharedBlocks {
 public:
  void* take(std::size_t size) {
    std::lock_guard lock(mutex_);
    auto free = free_.find(size);
    if (free == free_.end() || free->second.empty()) return nullptr;
    void* memory = free->second.back();
    free->second.pop_back();
    cached_ -= size;
    return memory;
  }

  void give(Block block) {
    {
      std::lock_guard lock(mutex_);
      if (cached_ + block.size <= kMostCached) {
        free_[block.size].push_back(block.memory);
        cached_ += block.size;
        return;
      }
    }
    std::free(block.memory);
  }

  /// A child forked while another thread holds the lock would wait for ever.
  void lock() { mutex_.lock(); }
  void unlock() { mutex_.unlock(); }

 private:
  std::mutex mutex_;
  std::map<std::size_t, std::vector<void*>> free_;
  std::size_t cached_ = 0;
};

SharedBlocks& shared_blocks() {
  // Never destroyed: tensors of other static objects may outlive any order of destruction.
  static SharedBlocks* blocks = [] {
    auto* made = new SharedBlocks;
    pthread_atfork([] { shared_blocks().lock(); }, [] { shared_blocks().unlock(); },
                   [] { shared_blocks().unlock(); });
    return made;
  }();
  return *blocks;
}

// Trivially destructible, hence readable until the very end of its thread.
thread_local bool thread_has_ended = false;

/// The blocks that one thread freed last.
class ThreadBlocks {
 public:
  ~ThreadBlocks() {
    thread_has_ended = true;
    for (const Block& block : std::span(blocks_).first(count_)) shared_blocks().give(block);
  }

  void* take(std::size_t size) {
    for (std::size_t i = count_; i-- > 0;) {
      if (blocks_[i].size != size) continue;
      void* memory = blocks_[i].memory;
      blocks_[i] = blocks_[--count_];
      bytes_ -= size;
      return memory;
    }
    return nullptr;
  }

  bool keep(Block block) {
    if (count_ == blocks_.size() || bytes_ + block.size > kMostKept) return false;
    blocks_[count_++] = block;
    bytes_ += block.size;
    return true;
  }

 private:
  static constexpr std::size_t kMostKept = std::size_t{64} << 20;  // bytes, a thread
  std::array<Block, 16> blocks_{};
  std::size_t count_ = 0, bytes_ = 0;
};
thread_local ThreadBlocks thread_blocks;

void* take(std::size_t size) {
  void* memory = thread_has_ended ? nullptr : thread_blocks.take(size);
  if (!memory) memory = shared_blocks().take(size);
  if (!memory) memory = std::aligned_alloc(kAlignment, size);
  if (!memory) throw out_of_memory(size);
  return memory;
}

void give_back(Block block) {
  if (thread_has_ended || !thread_blocks.keep(block)) shared_blocks().give(block);
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
    return std::shared_ptr<void>(take(size), [size](void* memory) { give_back({memory, size}); });
  }
};

}  // namespace

Allocator& default_allocator() {
  static auto* allocator = new CpuAllocator;  // never destroyed, as its blocks
  return *allocator;
}

}  // namespace tileops
