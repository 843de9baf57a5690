// Views and owning tensors: shapes, strides, sizes. Knows nothing of elements' bits.
#include "tileops/tensor.h"

#include <algorithm>

#include "tileops/context.h"
#include "tileops/error.h"

namespace tileops {
namespace {

Error bad_shape(std::span<const std::int64_t> shape, std::string expected) {
  return Error(ErrorKind::kValue, {{}, "tensor", std::move(expected), shape_text(shape), {}});
}

}  // namespace

TensorView::TensorView(void* memory, DType type, std::span<const std::int64_t> shape, Device where)
    : data(memory), dtype(type), device(where) {
  if (shape.size() > static_cast<std::size_t>(kMaxRank)) {
    throw bad_shape(shape, "at most " + std::to_string(kMaxRank) + " axes");
  }
  if (std::any_of(shape.begin(), shape.end(), [](std::int64_t size) { return size < 0; })) {
    throw bad_shape(shape, "sizes of at least 0");
  }
  rank = static_cast<std::int32_t>(shape.size());
  std::copy(shape.begin(), shape.end(), sizes.begin());
  std::int64_t step = 1;
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    steps[axis] = step;
    if (__builtin_mul_overflow(step, std::max<std::int64_t>(shape[axis], 1), &step)) {
      throw bad_shape(shape, "a number of elements that fits 64 bits");
    }
  }
}

std::int64_t TensorView::numel() const {
  std::int64_t count = 1;
  bool overflow = false;
  for (std::int64_t size : shape()) {
    if (size == 0) return 0;
    overflow = overflow || __builtin_mul_overflow(count, size, &count);
  }
  if (overflow) throw bad_shape(shape(), "a number of elements that fits 64 bits");
  return count;
}

bool TensorView::is_dense() const {
  std::int64_t step = 1;
  bool dense = true;
  for (std::size_t axis = shape().size(); axis-- > 0;) {
    if (sizes[axis] == 0) return true;
    if (sizes[axis] == 1) continue;
    dense = dense && steps[axis] == step;
    if (__builtin_mul_overflow(step, sizes[axis], &step)) return false;
  }
  return dense;
}

std::int64_t TensorView::size_bytes() const {
  std::int64_t bytes = 0;
  if (__builtin_mul_overflow(numel(), static_cast<std::int64_t>(tileops::size_bytes(dtype)),
                             &bytes)) {
    throw bad_shape(shape(), "a number of bytes that fits 64 bits");
  }
  return bytes;
}

Tensor Tensor::empty(std::span<const std::int64_t> shape, DType dtype) {
  TensorView view(nullptr, dtype, shape);
  auto bytes = static_cast<std::size_t>(view.size_bytes());
  std::shared_ptr<void> memory = default_allocator().allocate(bytes, {}, nullptr);
  view.data = memory.get();
  return Tensor(view, std::move(memory));
}

Tensor Tensor::empty(std::initializer_list<std::int64_t> shape, DType dtype) {
  return empty(std::span(shape.begin(), shape.size()), dtype);
}

Tensor Tensor::full(std::initializer_list<std::int64_t> shape, DType dtype, double value) {
  Tensor tensor = empty(shape, dtype);
  for (std::int64_t i = 0, n = tensor.view().numel(); i < n; ++i) {
    store_element(tensor.view(), i, value);
  }
  return tensor;
}

std::string shape_text(std::span<const std::int64_t> shape) {
  std::string text = "[";
  for (std::int64_t size : shape) text += (text.size() > 1 ? ", " : "") + std::to_string(size);
  return text + "]";
}

}  // namespace tileops
