// Plans by key, bounded. A thread finds the plans that it used last without any lock.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "runtime/call_key.h"
#include "runtime/plan.h"

namespace tileops::runtime {

class PlanCache {
 public:
  explicit PlanCache(std::size_t capacity);

  /// Null: not there. Safe from any thread.
  std::shared_ptr<const Plan> find(const CallKey& key);
  void insert(const CallKey& key, std::shared_ptr<const Plan> plan);
  std::size_t size() const;

 private:
  struct Entry {
    CallKey key;
    std::shared_ptr<const Plan> plan;
  };

  const std::uint64_t id_;  ///< never used again, so a thread's memory of a dead cache is harmless
  const std::size_t capacity_;
  mutable std::mutex mutex_;
  std::list<Entry> recent_;  ///< last used first
  std::unordered_multimap<std::uint64_t, std::list<Entry>::iterator> by_hash_;
};

}  // namespace tileops::runtime
