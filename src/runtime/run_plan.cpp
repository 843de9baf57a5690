// A launch: pointers, workspace, copies. This is all that a repeated call costs.
#include <array>
#include <cstring>

#include "runtime/environment.h"
#include "runtime/plan.h"
#include "tileops/error.h"

namespace tileops::runtime {
namespace {

constexpr std::size_t kMostTensors = 64;

struct Extent {
  std::uintptr_t begin = 0, end = 0;
};

Extent extent_of(const TensorView& view, const TensorView& layout) {
  std::int64_t last = 0;
  for (std::size_t axis = 0; axis < layout.shape().size(); ++axis) {
    if (layout.sizes[axis] == 0) return {};
    last += (layout.sizes[axis] - 1) * layout.steps[axis];
  }
  auto begin = reinterpret_cast<std::uintptr_t>(view.data);
  auto bytes = static_cast<std::uintptr_t>(last + 1) * size_bytes(layout.dtype);
  return {begin, begin + bytes};
}

bool overlap(const Extent& a, const Extent& b) {
  return a.begin < b.end && b.begin < a.end;
}

const std::string& name_of(const std::vector<spec::TensorSpec>& tensors, std::size_t i) {
  return tensors[i].name;
}

void refuse_null(const Plan& plan, const std::string& name) {
  throw Error(ErrorKind::kValue, {plan.op->name, name, "data of the tensor's elements",
                                  "a null pointer", "pass memory, or a tensor without elements"});
}

void check_overlaps(const Plan& plan,
                    std::span<const Extent> inputs,
                    std::span<const Extent> outputs) {
  auto refuse = [&](std::size_t output, const std::string& other) {
    throw Error(ErrorKind::kValue,
                {plan.op->name, name_of(plan.op->outputs, output), "memory of its own",
                 "memory that overlaps " + other, "pass another tensor"});
  };
  for (std::size_t o = 0; o < outputs.size(); ++o) {
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      if (overlap(outputs[o], inputs[i])) refuse(o, name_of(plan.op->inputs, i));
    }
    for (std::size_t p = 0; p < o; ++p) {
      if (overlap(outputs[o], outputs[p])) refuse(o, name_of(plan.op->outputs, p));
    }
  }
}

/// Elements of `from` in row-major order; the last axis runs innermost.
void copy_dense(const TensorView& from, std::byte* to) {
  const std::size_t size = size_bytes(from.dtype);
  const auto rank = from.shape().size();
  std::array<std::int64_t, kMaxRank> index{};
  std::int64_t columns = rank ? from.sizes[rank - 1] : 1;
  std::int64_t step = rank ? from.steps[rank - 1] * static_cast<std::int64_t>(size) : 0;
  std::int64_t rows = columns ? from.numel() / columns : 0;
  for (std::int64_t row = 0; row < rows; ++row) {
    std::int64_t offset = 0;
    for (std::size_t axis = 0; axis + 1 < rank; ++axis) offset += index[axis] * from.steps[axis];
    const auto* source =
        static_cast<const std::byte*>(from.data) + offset * static_cast<std::int64_t>(size);
    if (step == static_cast<std::int64_t>(size)) {
      std::memcpy(to, source, static_cast<std::size_t>(columns) * size);
      to += static_cast<std::size_t>(columns) * size;
    } else {
      for (std::int64_t i = 0; i < columns; ++i, to += size, source += step) {
        std::memcpy(to, source, size);
      }
    }
    for (std::size_t axis = rank > 0 ? rank - 1 : 0; axis-- > 0;) {
      if (++index[axis] < from.sizes[axis]) break;
      index[axis] = 0;
    }
  }
}

}  // namespace

void run_plan(const Plan& plan,
              std::span<const TensorView> inputs,
              std::span<const TensorView> outputs,
              const Context& context) {
  std::array<const void*, kMostTensors> in{};
  std::array<void*, kMostTensors> out{};
  std::array<Extent, kMostTensors> in_extents, out_extents;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    in[i] = inputs[i].data;
    in_extents[i] = inputs[i].given() ? extent_of(inputs[i], plan.inputs[i]) : Extent{};
    if (!in[i] && in_extents[i].end != 0) refuse_null(plan, name_of(plan.op->inputs, i));
  }
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    out[i] = outputs[i].data;
    out_extents[i] = extent_of(outputs[i], plan.outputs[i]);
    if (!out[i] && out_extents[i].end != 0) refuse_null(plan, name_of(plan.op->outputs, i));
  }
  check_overlaps(plan, {in_extents.data(), inputs.size()}, {out_extents.data(), outputs.size()});
  if (plan.empty) return;
  std::shared_ptr<void> workspace;
  if (plan.workspace > 0) {
    workspace = context.allocator->allocate(plan.workspace, context.device, context.stream);
  }
  for (const DenseCopy& copy : plan.copies) {
    std::byte* to = static_cast<std::byte*>(workspace.get()) + copy.offset;
    copy_dense(inputs[copy.input], to);
    in[copy.input] = to;
  }
  const int threads = is_forked_child() ? 1 : plan.threads;
  plan.backend->run(plan.launch, {in.data(), out.data(), workspace.get(), threads}, context);
}

}  // namespace tileops::runtime
