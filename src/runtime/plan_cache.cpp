// Least recently used plans go first.
#include "runtime/plan_cache.h"

#include <array>
#include <atomic>

namespace tileops::runtime {
namespace {

std::uint64_t next_id() {
  static std::atomic<std::uint64_t> counter{1};
  return counter.fetch_add(1, std::memory_order_relaxed);
}

/// What one thread used last, over all caches: direct mapped by hash.
struct Remembered {
  std::uint64_t cache = 0;
  CallKey key;
  std::shared_ptr<const Plan> plan;
};
constexpr std::size_t kSlots = 64;
thread_local std::array<Remembered, kSlots> remembered;

Remembered& slot(std::uint64_t cache, const CallKey& key) {
  return remembered[(key.hash ^ cache) % kSlots];
}

}  // namespace

PlanCache::PlanCache(std::size_t capacity) : id_(next_id()), capacity_(capacity) {}

std::shared_ptr<const Plan> PlanCache::find(const CallKey& key) {
  Remembered& mine = slot(id_, key);
  if (mine.cache == id_ && mine.key == key) return mine.plan;
  std::lock_guard lock(mutex_);
  auto [begin, end] = by_hash_.equal_range(key.hash);
  for (auto at = begin; at != end; ++at) {
    if (!(at->second->key == key)) continue;
    recent_.splice(recent_.begin(), recent_, at->second);
    mine = {id_, key, at->second->plan};
    return mine.plan;
  }
  return nullptr;
}

void PlanCache::insert(const CallKey& key, std::shared_ptr<const Plan> plan) {
  slot(id_, key) = {id_, key, plan};
  std::lock_guard lock(mutex_);
  recent_.push_front({key, std::move(plan)});
  by_hash_.emplace(key.hash, recent_.begin());
  if (recent_.size() <= capacity_) return;
  auto oldest = std::prev(recent_.end());
  auto [begin, end] = by_hash_.equal_range(oldest->key.hash);
  for (auto at = begin; at != end; ++at) {
    if (at->second != oldest) continue;
    by_hash_.erase(at);
    break;
  }
  recent_.pop_back();
}

std::size_t PlanCache::size() const {
  std::lock_guard lock(mutex_);
  return recent_.size();
}

}  // namespace tileops::runtime
