#include "backend/cpu/row_scratch.h"

#include <algorithm>
#include <memory>

namespace tileops::cpu {
namespace {

struct Pool {
  std::vector<std::unique_ptr<RowScratch>> all;
  std::size_t leased = 0;
};
thread_local Pool pool;

}  // namespace

float* GrowingFloats::at_least(std::size_t count) {
  if (count > size_) {
    size_ = std::max(count, 2 * size_);
    memory_ = hwy::AllocateAligned<float>(size_);
  }
  return memory_.get();
}

ScratchLease::ScratchLease() {
  if (pool.leased == pool.all.size()) pool.all.push_back(std::make_unique<RowScratch>());
  scratch_ = pool.all[pool.leased++].get();
}

ScratchLease::~ScratchLease() {
  --pool.leased;
}

}  // namespace tileops::cpu
