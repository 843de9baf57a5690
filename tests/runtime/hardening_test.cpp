// What a decode loop relies on: no allocation on a hit, no leak, any thread, forked children.
#include <gtest/gtest.h>
#include <malloc.h>
#include <sys/wait.h>
#include <tileops/ops/elementwise.h>
#include <tileops/ops/reduction.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <new>
#include <thread>
#include <vector>

#include "tileops/error.h"

namespace {
std::atomic<std::int64_t> allocations = 0;
}  // namespace

// Counts what the library asks of the heap; every other form of new comes down to this one.
// Not inlined: GCC would see memory of `new` go to free().
[[gnu::noinline]] void* operator new(std::size_t bytes) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  if (void* memory = std::malloc(bytes ? bytes : 1)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}

namespace tileops {
namespace {

Context on(int threads) {
  Context context;
  context.threads = threads;
  return context;
}

TEST(Hardening, AHitAllocatesNothing) {
  const Tensor a = Tensor::full({4, 8}, DType::kFloat32, 1),
               b = Tensor::full({8}, DType::kFloat32, 2);
  const Tensor y = Tensor::empty({4, 8}, DType::kFloat32);
  const AddFwdOp add;
  const Prepared prepared = add.prepare(a, b, y, on(1));
  const TensorView inputs[] = {a, b}, outputs[] = {y};
  add.into(a, b, y, on(1));
  prepared.run(inputs, outputs);
  const std::int64_t before = allocations;
  for (int i = 0; i < 100; ++i) {
    add.into(a, b, y, on(1));
    prepared.run(inputs, outputs);
  }
  EXPECT_EQ(allocations - before, 0);
  EXPECT_EQ(load_element(y, 31), 3);
}

TEST(Hardening, OutputsComeFromTheCallersAllocator) {
  struct Counting final : Allocator {
    std::shared_ptr<void> allocate(std::size_t bytes, Device device, void* stream) override {
      asked.push_back(bytes);
      return default_allocator().allocate(bytes, device, stream);
    }
    std::vector<std::size_t> asked;
  } counting;
  Context context = on(1);
  context.allocator = &counting;
  const Tensor a = Tensor::full({4, 8}, DType::kFloat32, 1);
  AddFwdOp()(a, a, context);
  EXPECT_EQ(counting.asked, std::vector<std::size_t>{4 * 8 * 4});
}

TEST(Hardening, AMillionCallsLeakNothing) {
  const Tensor x = Tensor::full({2, 8}, DType::kFloat32, 1);
  const SoftmaxFwdOp op({.dim = std::int64_t{1}});
  for (int i = 0; i < 1000; ++i) op(x, on(1));
  const auto before = mallinfo2().uordblks;
  for (int i = 0; i < 1'000'000; ++i) op(x, on(1));
  EXPECT_LE(mallinfo2().uordblks, before + 4096);
}

TEST(Hardening, MemoryFreedByAnotherThreadIsUsedAgain) {
  for (int round = 0; round < 50; ++round) {
    std::vector<Tensor> made(40);
    std::thread([&] {
      for (Tensor& tensor : made) tensor = Tensor::full({100}, DType::kFloat32, 1);
    }).join();
    std::thread([&] { made.clear(); }).join();
  }
  const auto before = mallinfo2().uordblks;
  for (int round = 0; round < 50; ++round) {
    std::thread([] {
      std::vector<Tensor> gone(40, Tensor::full({100}, DType::kFloat32, 1));
    }).join();
  }
  EXPECT_LE(mallinfo2().uordblks, before + 65536);
}

TEST(Hardening, AForkedChildComputesTheSameBits) {
  const Tensor x = Tensor::full({64, 4096}, DType::kFloat32, 0.5);
  const SoftmaxFwdOp op({.dim = std::int64_t{1}});
  const Tensor expected = op(x, on(4));  // OpenMP's threads now exist, in this process
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);  // a child that waits for threads of its parent would hang
    const Tensor again = op(x, on(4));
    const bool same = std::memcmp(again.data<char>(), expected.data<char>(), 64 * 4096 * 4) == 0;
    const SumFwdOp sum;
    _exit(same && load_element(sum(x, on(2)), 0) == 64 * 4096 / 2 ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

/// A view of one element, as often as the shape says.
TensorView expanded(const Tensor& one, std::int64_t size) {
  TensorView view = one;
  view.rank = 1;
  view.sizes[0] = size;
  view.steps[0] = 0;
  return view;
}

TEST(Hardening, MoreThanTwoToThe31Elements) {
  const std::int64_t size = (std::int64_t{1} << 31) + 5;
  const DType dtype = DType::kFloat16;
  const Tensor one = Tensor::full({1}, dtype, 1), two = Tensor::full({1}, dtype, 2);
  const Tensor y = Tensor::empty({size}, dtype);
  AddFwdOp().into(expanded(one, size), expanded(two, size), y);
  const std::int64_t part = 1 << 20;
  const Tensor threes = Tensor::full({part}, dtype, 3);
  for (std::int64_t at = 0; at < size; at += part) {
    const auto bytes = static_cast<std::size_t>(std::min(part, size - at)) * 2;
    ASSERT_EQ(std::memcmp(y.data<char>() + 2 * at, threes.data<char>(), bytes), 0) << at;
  }
}

TEST(Hardening, StridesThatLeaveTheAddressSpaceAreRefused) {
  const Tensor one = Tensor::full({4}, DType::kFloat32, 1);
  TensorView far = one;
  far.steps[0] = std::int64_t{1} << 61;
  try {
    AddFwdOp()(far, far);
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "AddFwdOp: input: expected byte offsets that fit 64 bits, got shape [4], strides "
                 "[2305843009213693952]");
  }
}

}  // namespace
}  // namespace tileops
