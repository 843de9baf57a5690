// Calls that are legal: layouts, empty sizes, kernels, threads, plans.
#include <gtest/gtest.h>
#include <tileops/ops/elementwise.h>
#include <tileops/ops/gemm.h>
#include <tileops/ops/normalization.h>
#include <tileops/ops/reduction.h>

#include <cmath>
#include <cstring>
#include <random>
#include <thread>
#include <vector>

#include "runtime/plan_cache.h"

namespace tileops {
namespace {

Tensor random_tensor(std::initializer_list<std::int64_t> shape, DType dtype, unsigned seed) {
  Tensor tensor = Tensor::empty(shape, dtype);
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  for (std::int64_t i = 0; i < tensor.view().numel(); ++i) store_element(tensor, i, normal(random));
  return tensor;
}

bool same(const Tensor& a, const Tensor& b) {
  return std::memcmp(a.view().data, b.view().data,
                     static_cast<std::size_t>(a.view().size_bytes())) == 0;
}

/// The same elements with a gap after each row, and one element after an aligned address.
struct Padded {
  explicit Padded(const Tensor& dense) {
    const std::int64_t rows = dense.shape()[0], columns = dense.shape()[1];
    memory = Tensor::empty({rows * (columns + 3) + 1}, dense.dtype());
    view = dense;
    view.steps = {columns + 3, 1};
    view.data = static_cast<std::byte*>(memory.view().data) + size_bytes(dense.dtype());
    for (std::int64_t r = 0; r < rows; ++r) {
      for (std::int64_t c = 0; c < columns; ++c) {
        store_element(view, r * (columns + 3) + c, load_element(dense, r * columns + c));
      }
    }
  }
  Tensor memory;
  TensorView view;
};

TEST(Calls, LayoutsGiveTheSameBits) {
  for (DType dtype : {DType::kFloat16, DType::kBFloat16, DType::kFloat32}) {
    const Tensor x = random_tensor({5, 1030}, dtype, 1);
    const SiluAndMulFwdOp op;
    EXPECT_TRUE(same(op(x), op(Padded(x).view))) << dtype_name(dtype);
  }
  const Tensor a = random_tensor({7, 33}, DType::kBFloat16, 2);
  const Tensor b = random_tensor({9, 33}, DType::kBFloat16, 3);
  EXPECT_TRUE(same(GemmFwdOp()(a, b), GemmFwdOp()(Padded(a).view, Padded(b).view)));
}

TEST(Calls, AStrideOfZeroIsABroadcast) {
  const Tensor row = random_tensor({1, 8}, DType::kFloat32, 4);
  TensorView many = row;
  many.sizes[0] = 3;
  many.steps[0] = 0;
  const Tensor all = SiluAndMulFwdOp()(many), one = SiluAndMulFwdOp()(row);
  for (std::int64_t i = 0; i < 12; ++i) EXPECT_EQ(load_element(all, i), load_element(one, i % 4));
}

TEST(Calls, TransposedOperandsAreThoseOfTheDefinition) {
  const Tensor a = random_tensor({4, 6}, DType::kBFloat16, 5);
  const Tensor b = random_tensor({5, 6}, DType::kBFloat16, 6);
  const Tensor expected = GemmFwdOp()(a, b);
  TensorView b_columns = b;  // the same elements, described as [6, 5]
  b_columns.sizes = {6, 5};
  b_columns.steps = {1, 6};
  EXPECT_TRUE(same(expected, GemmFwdOp({.trans_b = false})(a, b_columns)));
}

TEST(Calls, EmptySizes) {
  const DType bf16 = DType::kBFloat16;
  EXPECT_EQ(GemmFwdOp()(Tensor::empty({0, 4}, bf16), Tensor::empty({3, 4}, bf16)).view().numel(),
            0);
  const Tensor zeros = GemmFwdOp()(Tensor::empty({2, 0}, bf16), Tensor::empty({3, 0}, bf16));
  for (std::int64_t i = 0; i < 6; ++i) EXPECT_EQ(load_element(zeros, i), 0);
  EXPECT_EQ(SiluAndMulFwdOp()(Tensor::empty({0, 6}, bf16)).shape()[1], 3);
}

TEST(Calls, AForcedKernelAgreesWithTheSelectedOne) {
  const Tensor a = random_tensor({3, 40}, DType::kBFloat16, 7);
  const Tensor b = random_tensor({4, 40}, DType::kBFloat16, 8);
  const Operator gemm = Operator::find("GemmFwdOp");
  const TensorView inputs[] = {a, b};
  const Tensor selected = gemm.call(inputs)[0];
  const Tensor derived = gemm.call(inputs, {}, {}, {.kernel = "derived"})[0];
  for (std::int64_t i = 0; i < 12; ++i) {
    EXPECT_NEAR(load_element(selected, i), load_element(derived, i), 0.1) << i;
  }
}

TEST(Calls, RmsNormOverTwoAxes) {
  const Tensor x = random_tensor({2, 3, 4}, DType::kFloat16, 9);
  const Tensor w = random_tensor({3, 4}, DType::kFloat16, 10);
  const Tensor y = RMSNormFwdOp({.normalized_shape = {3, 4}})(x, w);
  for (std::int64_t m = 0; m < 2; ++m) {
    double sum = 0;
    for (std::int64_t i = 0; i < 12; ++i) {
      sum += load_element(x, m * 12 + i) * load_element(x, m * 12 + i);
    }
    const double r = 1 / std::sqrt(sum / 12 + 1e-6);
    for (std::int64_t i = 0; i < 12; ++i) {
      const double expected = load_element(x, m * 12 + i) * r * load_element(w, i);
      EXPECT_NEAR(load_element(y, m * 12 + i), expected, 2e-3 * std::abs(expected) + 1e-6);
    }
  }
}

TEST(Calls, EightThreadsGiveTheBitsOfOne) {
  const Tensor x = random_tensor({64, 2048}, DType::kBFloat16, 11);
  const SiluAndMulFwdOp op;
  const Tensor expected = op(x);
  std::vector<Tensor> results(8);
  std::vector<std::thread> threads;
  for (Tensor& result : results) {
    threads.emplace_back([&] {
      for (int i = 0; i < 20; ++i) result = op(x);
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const Tensor& result : results) EXPECT_TRUE(same(result, expected));
}

TEST(Calls, ThreadCountsDoNotChangeBits) {
  const Tensor x = random_tensor({33, 4100}, DType::kFloat32, 12);
  Context one, two;
  one.threads = 1;
  two.threads = 2;
  EXPECT_TRUE(same(SiluAndMulFwdOp()(x, one), SiluAndMulFwdOp()(x, two)));
}

TEST(Calls, PreparedCallsRunOnOtherMemory) {
  const Tensor x = random_tensor({2, 6}, DType::kFloat32, 13);
  const Tensor y = Tensor::empty({2, 3}, DType::kFloat32);
  const Tensor other = random_tensor({2, 6}, DType::kFloat32, 14);
  const Prepared prepared = SiluAndMulFwdOp().prepare(x, y);
  EXPECT_EQ(prepared.kernel(), "derived");
  const TensorView inputs[] = {other}, outputs[] = {y};
  prepared.run(inputs, outputs);
  EXPECT_TRUE(same(y, SiluAndMulFwdOp()(other)));
}

runtime::CallKey key_of(std::uint64_t n) {
  runtime::CallKey key;
  key.words = {n};
  key.hash = n % 7;  // equal hashes are told apart by the words
  return key;
}

TEST(PlanCache, IsBoundedAndForgetsTheOldest) {
  runtime::PlanCache cache(10);
  for (std::uint64_t n = 0; n < 200; ++n)
    cache.insert(key_of(n), std::make_shared<runtime::Plan>());
  EXPECT_EQ(cache.size(), 10U);
  EXPECT_NE(cache.find(key_of(199)), nullptr);
  EXPECT_EQ(cache.find(key_of(3)), nullptr);
}

std::vector<std::int64_t> shape_of(const Tensor& tensor) {
  return {tensor.shape().begin(), tensor.shape().end()};
}

TEST(Calls, AddBroadcastsBothWays) {
  const Tensor a = random_tensor({2, 1, 4}, DType::kFloat32, 1);
  const Tensor b = random_tensor({3, 1}, DType::kFloat32, 2);
  const Tensor y = AddFwdOp({.alpha = 2.0})(a, b);
  ASSERT_EQ(shape_of(y), (std::vector<std::int64_t>{2, 3, 4}));
  for (std::int64_t i = 0; i < 2; ++i) {
    for (std::int64_t j = 0; j < 3; ++j) {
      for (std::int64_t k = 0; k < 4; ++k) {
        EXPECT_FLOAT_EQ(static_cast<float>(load_element(y, (i * 3 + j) * 4 + k)),
                        static_cast<float>(load_element(a, i * 4 + k) + 2 * load_element(b, j)));
      }
    }
  }
}

TEST(Calls, AddOfBoolsIsOrAndIntegersWrap) {
  const Tensor yes = Tensor::full({2}, DType::kBool, 1), no = Tensor::full({2}, DType::kBool, 0);
  EXPECT_EQ(load_element(AddFwdOp()(no, yes), 0), 1);
  EXPECT_EQ(load_element(AddFwdOp()(yes, yes), 1), 1);
  EXPECT_EQ(load_element(AddFwdOp({.alpha = std::int64_t{0}})(no, yes), 0), 0);
  const Tensor large = Tensor::full({2}, DType::kInt8, 127),
               one = Tensor::full({2}, DType::kInt8, 1);
  EXPECT_EQ(load_element(AddFwdOp()(large, one), 0), -128);
}

TEST(Calls, SumDropsItsAxesOrKeepsThemAsOnes) {
  const Tensor x = Tensor::full({2, 3, 4}, DType::kFloat32, 1);
  using Shape = std::vector<std::int64_t>;
  EXPECT_EQ(shape_of(SumFwdOp()(x)), Shape{});
  EXPECT_EQ(shape_of(SumFwdOp({.dim = Ints{0, -1}})(x)), Shape{3});
  EXPECT_EQ(shape_of(SumFwdOp({.dim = Ints{0, 2}, .keepdim = true})(x)), (Shape{1, 3, 1}));
  EXPECT_EQ(load_element(SumFwdOp()(x), 0), 24);
  EXPECT_EQ(load_element(SumFwdOp({.dim = Ints{0, 2}, .keepdim = true})(x), 2), 8);
  EXPECT_EQ(load_element(SumFwdOp({.dim = std::int64_t{1}})(x), 7), 3);
}

TEST(Calls, ReductionsGiveTheSameBitsOnAnyNumberOfThreads) {
  const Tensor wide = random_tensor({3, 200000}, DType::kFloat32, 3);
  const Tensor tall = random_tensor({300, 5000}, DType::kBFloat16, 4);
  auto on = [](int threads) {
    Context context;
    context.threads = threads;
    return context;
  };
  for (const int threads : {2, 3, 8}) {
    EXPECT_TRUE(same(SumFwdOp()(wide, on(1)), SumFwdOp()(wide, on(threads)))) << threads;
    const SoftmaxFwdOp rows({.dim = std::int64_t{1}}), columns({.dim = std::int64_t{0}});
    EXPECT_TRUE(same(rows(wide, on(1)), rows(wide, on(threads)))) << threads;
    EXPECT_TRUE(same(columns(tall, on(1)), columns(tall, on(threads)))) << threads;
    const SumFwdOp over_rows({.dim = Ints{0}});
    EXPECT_TRUE(same(over_rows(tall, on(1)), over_rows(tall, on(threads)))) << threads;
  }
}

}  // namespace
}  // namespace tileops
