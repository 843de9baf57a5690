// Which axis of a tensor the rows lie along is seen by comparing the shapes for one and many rows.
#include "certify/rows_alone.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

#include "certify/inputs/input_data.h"
#include "certify/instance_of.h"
#include "certify/size_variants.h"
#include "runtime/engine.h"
#include "tileops/error.h"

namespace tileops::certify {
namespace {

constexpr std::int64_t kRows = 5;
constexpr std::int64_t kLong = 1031;  // of other axes: several vectors and blocks, and a tail

/// Row `row` of a tensor, or all of it where it does not vary with the rows. Nothing where rows
/// are not one axis of it.
std::optional<TensorView> slice(const TensorView& whole,
                                const TensorView& single,
                                std::int64_t row) {
  if (!whole.given()) return whole;
  TensorView view = whole;
  for (std::size_t axis = 0; axis < whole.shape().size(); ++axis) {
    if (whole.sizes[axis] == single.sizes[axis]) continue;
    if (whole.sizes[axis] != kRows || single.sizes[axis] != 1) return std::nullopt;
    view.sizes[axis] = 1;
    view.data = static_cast<std::byte*>(whole.data) +
                static_cast<std::size_t>(row * whole.steps[axis]) * size_bytes(whole.dtype);
  }
  return view;
}

std::optional<spec::WorkloadCall> call_with(const spec::OpSpec& op,
                                            const std::string& axis,
                                            std::int64_t rows,
                                            DType dtype) {
  const std::vector<SizeVariant> variants = size_variants(op);
  if (variants.empty()) return std::nullopt;
  spec::Sizes sizes = variants.front().sizes;
  for (auto& [name, size] : sizes.axes) size = name == axis ? rows : kLong;
  for (auto& [name, shape] : sizes.groups) {
    shape = {name == axis ? rows : kLong};
  }
  return legal_call(op, sizes, param_variants(op).front(), dtype);
}

CaseVerdict declined(std::string why) {
  CaseVerdict verdict;
  verdict.applies = false;
  verdict.why = std::move(why);
  return verdict;
}

CaseVerdict compare(const Operator& op,
                    const spec::WorkloadCall& together,
                    const spec::WorkloadCall& alone,
                    const std::string& kernel,
                    const JudgeOptions& options) {
  const spec::OpSpec& entry = *op.engine().op();
  std::vector<Tensor> memory;
  std::vector<TensorView> inputs;
  for (std::size_t i = 0; i < together.inputs.size(); ++i) {
    if (together.inputs[i].given()) {
      memory.push_back(Tensor::empty(together.inputs[i].shape(), together.inputs[i].dtype));
      fill_input(memory.back(), entry.inputs[i].role, Data::kRandom, options.seed * 64 + i, 1);
    }
    inputs.push_back(together.inputs[i].given() ? memory.back().view() : TensorView{});
  }
  const NamedParams params = with_names(entry, together.params);
  const NamedParams alone_params = with_names(entry, alone.params);
  const CallOptions steering{kernel};
  const std::vector<Tensor> whole = op.call(inputs, params, options.context, steering);
  CaseVerdict verdict;
  for (std::int64_t row = 0; row < kRows; ++row) {
    std::vector<TensorView> row_inputs;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const auto view = slice(inputs[i], alone.inputs[i], row);
      if (!view) return declined("rows are not one axis of " + entry.inputs[i].name);
      row_inputs.push_back(*view);
    }
    const std::vector<Tensor> single = op.call(row_inputs, alone_params, options.context, steering);
    for (std::size_t i = 0; i < whole.size(); ++i) {
      const auto view = slice(whole[i], single[i], row);
      if (!view) return declined("rows are not one axis of " + entry.outputs[i].name);
      verdict.elements += view->numel();
      if (same_bits(*view, single[i])) continue;
      verdict.passed = false;
      verdict.why = "output " + entry.outputs[i].name + ": row " + std::to_string(row) +
                    " has other bits when it is computed alone";
    }
  }
  verdict.judged = verdict.elements;
  return verdict;
}

}  // namespace

std::vector<std::string> invariant_axes(const spec::OpSpec& op) {
  std::vector<std::string> axes;
  if (std::find(op.promises.begin(), op.promises.end(), "batch_invariant") == op.promises.end()) {
    return axes;
  }
  for (const auto& [axis, kind] : op.axes) {
    if (kind == spec::AxisKind::kDynamic) axes.push_back(axis);
  }
  return axes;
}

CaseVerdict judge_rows_alone(const Operator& op,
                             const std::string& axis,
                             DType dtype,
                             const std::string& kernel,
                             const JudgeOptions& options) {
  const spec::OpSpec& entry = *op.engine().op();
  const auto together = call_with(entry, axis, kRows, dtype);
  const auto alone = call_with(entry, axis, 1, dtype);
  if (!together || !alone) return declined("no small sizes are legal");
  try {
    return compare(op, *together, *alone, kernel, options);
  } catch (const Error& error) {
    CaseVerdict verdict;
    verdict.passed = false;
    verdict.threw = true;
    verdict.why = error.what();
    return verdict;
  }
}

}  // namespace tileops::certify
