// Every operator on inputs and outputs of random layouts: the result is that of dense tensors, and
// nothing but the output's elements is written. TILEOPS_LAYOUT_CALLS: how many calls (default 600).
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "tileops/error.h"
#include "tileops/operator.h"

namespace tileops {
namespace {

using Random = std::mt19937_64;
using Shape = std::vector<std::int64_t>;

std::int64_t pick(Random& random, std::int64_t least, std::int64_t most) {
  return std::uniform_int_distribution<std::int64_t>(least, most)(random);
}

/// A view into memory of its own, which it shows around the view's elements.
struct Layout {
  Tensor memory;
  TensorView view;
};

/// Axes in a random order of memory (transposed), gaps after any axis (slices), axes of stride 0
/// where allowed (expanded), and a first element that is rarely aligned.
Layout random_layout(Random& random, const Shape& shape, DType dtype, bool may_expand) {
  Layout out;
  out.view = TensorView(nullptr, dtype, shape);
  std::vector<std::size_t> order(shape.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (pick(random, 0, 1)) std::shuffle(order.begin(), order.end(), random);
  std::int64_t step = pick(random, 0, 3) ? 1 : 2;
  for (std::size_t i = order.size(); i-- > 0;) {
    const std::size_t axis = order[i];
    const bool expanded = may_expand && pick(random, 0, 5) == 0;
    out.view.steps[axis] = expanded ? 0 : step;
    if (!expanded) step *= shape[axis] + (pick(random, 0, 2) ? 0 : pick(random, 1, 3));
  }
  const std::int64_t offset = pick(random, 0, 3);
  out.memory = Tensor::empty(Shape{step + offset + 4}, dtype);
  out.view.data =
      out.memory.data<std::byte>() + static_cast<std::size_t>(offset) * size_bytes(dtype);
  return out;
}

/// f(offset from the view's data in elements, row-major number) for each element.
template <class F>
void each_element(const TensorView& view, F f) {
  std::array<std::int64_t, kMaxRank> index{};
  for (std::int64_t number = 0, count = view.numel(); number < count; ++number) {
    std::int64_t offset = 0;
    for (std::size_t axis = 0; axis < view.shape().size(); ++axis) {
      offset += index[axis] * view.steps[axis];
    }
    f(offset, number);
    for (std::size_t axis = view.shape().size(); axis-- > 0;) {
      if (++index[axis] < view.sizes[axis]) break;
      index[axis] = 0;
    }
  }
}

/// Integers: their sums and products are exact, in whichever order a kernel takes them.
void fill(Random& random, const Tensor& memory) {
  const bool is_bool = memory.dtype() == DType::kBool,
             is_unsigned = memory.dtype() == DType::kUInt8;
  for (std::int64_t i = 0; i < memory.view().numel(); ++i) {
    store_element(
        memory, i,
        static_cast<double>(pick(random, is_bool || is_unsigned ? 0 : -3, is_bool ? 1 : 3)));
  }
}

Tensor dense_copy(const TensorView& view) {
  const Tensor out = Tensor::empty(view.shape(), view.dtype);
  each_element(view, [&](std::int64_t from, std::int64_t to) {
    store_element(out, to, load_element(view, from));
  });
  return out;
}

struct FuzzCall {
  std::string op;
  DType dtype = DType::kFloat32;
  std::vector<Shape> inputs;
  NamedParams params;
  double tolerance = 0;  ///< relative; 0: the same bits
};

constexpr std::array kFloats = {DType::kFloat16, DType::kBFloat16, DType::kFloat32};

Shape random_shape(Random& random, std::int64_t least_rank, std::int64_t most) {
  Shape shape(static_cast<std::size_t>(pick(random, least_rank, 4)));
  for (std::int64_t& size : shape) size = pick(random, 0, 24) == 0 ? 0 : pick(random, 1, most);
  return shape;
}

FuzzCall random_call(Random& random) {
  FuzzCall call;
  call.dtype = kFloats[static_cast<std::size_t>(pick(random, 0, 2))];
  const std::int64_t m = pick(random, 1, 9), n = pick(random, 1, 40), k = pick(random, 1, 70);
  switch (pick(random, 0, 5)) {
    case 0: {
      call.op = "GemmFwdOp";
      if (call.dtype == DType::kFloat32) call.dtype = DType::kFloat16;
      const bool trans_a = pick(random, 0, 1), trans_b = pick(random, 0, 1);
      call.inputs = {trans_a ? Shape{k, m} : Shape{m, k}, trans_b ? Shape{n, k} : Shape{k, n}};
      call.params = {{"trans_a", trans_a}, {"trans_b", trans_b}};
      break;
    }
    case 1:
      call.op = "SiluAndMulFwdOp";
      call.inputs = {{m, 2 * k}};
      break;
    case 2:
      call.op = "RMSNormFwdOp";
      if (call.dtype == DType::kFloat32) call.dtype = DType::kBFloat16;
      call.inputs = {{m, n, k}, {k}};
      call.params = {{"normalized_shape", Ints{k}}};
      break;
    case 3: {
      call.op = "AddFwdOp";
      constexpr std::array kMore = {DType::kBool, DType::kUInt8, DType::kInt8, DType::kInt32,
                                    DType::kInt64};
      if (pick(random, 0, 1)) call.dtype = kMore[static_cast<std::size_t>(pick(random, 0, 4))];
      const Shape a = random_shape(random, 0, 12);
      Shape b(a.end() - pick(random, 0, static_cast<std::int64_t>(a.size())), a.end());
      for (std::int64_t& size : b) size = pick(random, 0, 2) ? size : 1;
      call.inputs = {a, b};
      if (pick(random, 0, 1)) std::swap(call.inputs[0], call.inputs[1]);
      break;
    }
    case 4: {
      call.op = "SoftmaxFwdOp";
      const Shape shape = random_shape(random, 1, 30);
      call.inputs = {shape};
      const auto rank = static_cast<std::int64_t>(shape.size());
      call.params = {{"dim", pick(random, -rank, rank - 1)}};
      // Exponentials are no integers: their sum depends on its order.
      call.tolerance = call.dtype == DType::kFloat32   ? 1e-6
                       : call.dtype == DType::kFloat16 ? 2e-3
                                                       : 1e-2;
      break;
    }
    default: {
      call.op = "SumFwdOp";
      const Shape shape = random_shape(random, 0, 12);
      call.inputs = {shape};
      Ints dims;
      for (std::size_t axis = 0; axis < shape.size(); ++axis) {
        if (pick(random, 0, 1)) dims.push_back(static_cast<std::int64_t>(axis));
      }
      call.params = {{"dim", dims}, {"keepdim", pick(random, 0, 1) == 1}};
    }
  }
  return call;
}

std::string text_of(const FuzzCall& call, const std::vector<Layout>& inputs) {
  std::string text = call.op + " " + std::string(dtype_name(call.dtype));
  for (const Layout& input : inputs) {
    text += " " + shape_text(input.view.shape()) + "/" + shape_text(input.view.strides());
  }
  for (const auto& [name, value] : call.params) text += " " + name + "=" + param_text(value);
  return text;
}

bool agree(double expected, double actual, double tolerance) {
  if (std::isnan(expected)) return std::isnan(actual);
  return std::abs(expected - actual) <= tolerance * std::abs(expected) + (tolerance ? 1e-7 : 0);
}

/// Everything around the output's elements is as it was; the elements are those of `expected`.
void check_output(const Layout& output,
                  const Tensor& before,
                  const Tensor& expected,
                  double tolerance) {
  const std::size_t size = size_bytes(output.view.dtype);
  const auto gap = (static_cast<std::byte*>(output.view.data) - output.memory.data<std::byte>());
  each_element(output.view, [&](std::int64_t offset, std::int64_t number) {
    EXPECT_TRUE(agree(load_element(expected, number), load_element(output.view, offset), tolerance))
        << "element " << number << ": expected " << load_element(expected, number) << ", got "
        << load_element(output.view, offset);
    const auto at = gap + offset * static_cast<std::int64_t>(size);
    std::memcpy(before.data<std::byte>() + at, output.memory.data<std::byte>() + at, size);
  });
  EXPECT_EQ(std::memcmp(before.data<std::byte>(), output.memory.data<std::byte>(),
                        static_cast<std::size_t>(before.view().size_bytes())),
            0)
      << "written beside the output's elements";
}

TEST(LayoutFuzz, AnyLayoutGivesTheDenseResult) {
  const char* asked = std::getenv("TILEOPS_LAYOUT_CALLS");
  const int calls = asked ? std::atoi(asked) : 600;
  Random random(20261205);
  for (int i = 0; i < calls && !testing::Test::HasFailure(); ++i) {
    const FuzzCall call = random_call(random);
    const Operator op = Operator::find(call.op);
    std::vector<Layout> inputs;
    std::vector<TensorView> views, dense_views;
    std::vector<Tensor> dense;
    for (const Shape& shape : call.inputs) {
      inputs.push_back(random_layout(random, shape, call.dtype, true));
      fill(random, inputs.back().memory);
      views.push_back(inputs.back().view);
      dense.push_back(dense_copy(views.back()));
      dense_views.push_back(dense.back());
    }
    SCOPED_TRACE("call " + std::to_string(i) + ": " + text_of(call, inputs));
    const Tensor expected = op.call(dense_views, call.params)[0];
    const Shape shape(expected.shape().begin(), expected.shape().end());
    const Layout output = random_layout(random, shape, expected.dtype(), false);
    fill(random, output.memory);
    const Tensor before = dense_copy(output.memory);
    Context context;
    context.threads = static_cast<int>(pick(random, 1, 2));
    op.into(views, std::array{output.view}, call.params, context);
    check_output(output, before, expected, call.tolerance);
  }
}

TEST(LayoutFuzz, ANegativeStepIsRefusedByName) {
  Random random(7);
  for (int i = 0; i < 60; ++i) {
    const FuzzCall call = random_call(random);
    std::vector<Tensor> memory;
    std::vector<TensorView> views;
    for (const Shape& shape : call.inputs) {
      memory.push_back(Tensor::empty(shape, call.dtype));
      fill(random, memory.back());
      views.push_back(memory.back());
    }
    if (views[0].rank == 0) continue;
    views[0].steps[0] = -1;
    try {
      Operator::find(call.op).call(views, call.params);
      ADD_FAILURE() << call.op << ": no error";
    } catch (const Error& error) {
      EXPECT_EQ(error.parts().op, call.op);
      EXPECT_EQ(error.parts().expected, "strides of at least 0");
      EXPECT_EQ(error.parts().mend, "pass a contiguous copy");
    }
  }
}

}  // namespace
}  // namespace tileops
