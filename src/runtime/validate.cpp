// Checks of one call that need no kernel.
#include "runtime/validate.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "tileops/error.h"

namespace tileops::runtime {
namespace {

std::string device_text(Device device) {
  constexpr std::string_view kNames[] = {"cpu", "cuda", "musa"};
  std::string name(kNames[static_cast<std::size_t>(device.type)]);
  return device.type == DeviceType::kCpu ? name : name + ":" + std::to_string(device.index);
}

/// Two elements of one tensor at one address would be written twice.
bool writes_twice(const TensorView& view) {
  std::vector<std::pair<std::int64_t, std::int64_t>> axes;  // step, size
  for (std::size_t axis = 0; axis < view.shape().size(); ++axis) {
    if (view.sizes[axis] == 0) return false;
    if (view.sizes[axis] > 1) axes.emplace_back(view.steps[axis], view.sizes[axis]);
  }
  std::sort(axes.begin(), axes.end());
  // Sorted by step, each axis must step over all that the smaller ones span.
  std::int64_t span = 0;
  for (const auto& [step, size] : axes) {
    if (step <= span) return true;
    span += step * (size - 1);
  }
  return false;
}

}  // namespace

void check_devices(const spec::OpSpec& op,
                   std::span<const TensorView> inputs,
                   std::span<const TensorView> outputs,
                   Device device) {
  auto check = [&](const TensorView& view, const std::string& name) {
    if (!view.given() || view.device == device) return;
    throw Error(ErrorKind::kValue,
                {op.name, name, "a tensor on " + device_text(device), device_text(view.device),
                 "move it, or call with a context of its device"});
  };
  for (std::size_t i = 0; i < inputs.size() && i < op.inputs.size(); ++i) {
    check(inputs[i], op.inputs[i].name);
  }
  for (std::size_t i = 0; i < outputs.size() && i < op.outputs.size(); ++i) {
    check(outputs[i], op.outputs[i].name);
  }
}

void check_outputs(const spec::OpSpec& op,
                   std::span<const TensorView> given,
                   std::span<const TensorView> expected) {
  if (given.size() != expected.size()) {
    throw Error(ErrorKind::kValue, {op.name,
                                    "outputs",
                                    std::to_string(expected.size()) + " tensors",
                                    std::to_string(given.size()),
                                    {}});
  }
  for (std::size_t i = 0; i < given.size(); ++i) {
    const std::string& name = op.outputs[i].name;
    const TensorView& view = given[i];
    if (!view.given()) {
      throw Error(ErrorKind::kValue, {op.name, name, "a tensor", "none", "pass " + name});
    }
    if (view.dtype != expected[i].dtype) {
      throw Error(ErrorKind::kType, {op.name,
                                     name,
                                     std::string(dtype_name(expected[i].dtype)),
                                     std::string(dtype_name(view.dtype)),
                                     {}});
    }
    if (!std::equal(view.shape().begin(), view.shape().end(), expected[i].shape().begin(),
                    expected[i].shape().end())) {
      throw Error(ErrorKind::kValue, {op.name,
                                      name,
                                      "shape " + shape_text(expected[i].shape()),
                                      shape_text(view.shape()),
                                      {}});
    }
    auto steps = view.strides();
    if (std::any_of(steps.begin(), steps.end(), [](std::int64_t step) { return step < 0; }) ||
        writes_twice(view)) {
      throw Error(ErrorKind::kValue, {op.name, name, "strides that give each element its own place",
                                      shape_text(steps), "pass a contiguous tensor"});
    }
  }
}

}  // namespace tileops::runtime
