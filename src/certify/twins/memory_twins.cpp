// Each wraps the derived kernel's program: it runs, then something is amiss.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <map>
#include <mutex>
#include <utility>

#include "certify/twins/twin.h"

namespace tileops::certify {
namespace {

using Program = std::shared_ptr<const HostProgram>;
using Bytes = std::vector<std::byte>;

/// Layouts of the call that a program was made for.
struct Shapes {
  std::vector<TensorView> inputs, outputs;
};

using Fault = std::function<void(const HostProgram& good, const Shapes& shapes, const KernelArgs&)>;

class FaultyProgram : public HostProgram {
 public:
  FaultyProgram(Program good, Shapes shapes, Fault fault)
      : good_(std::move(good)), shapes_(std::move(shapes)), fault_(std::move(fault)) {}
  void run(const KernelArgs& args) const override { fault_(*good_, shapes_, args); }

 private:
  Program good_;
  Shapes shapes_;
  Fault fault_;
};

class FaultyKernel : public KernelDescriptor {
 public:
  FaultyKernel(std::string name, const KernelDescriptor& good, std::function<Fault()> make_fault)
      : name_(std::move(name)), good_(good), make_fault_(std::move(make_fault)) {}

  std::string_view name() const override { return name_; }
  Applies applies(const KernelCall& call, const DeviceInfo& device) const override {
    return good_.applies(call, device);
  }
  std::size_t workspace_bytes(const KernelCall& call, const KernelConfig& config) const override {
    return good_.workspace_bytes(call, config);
  }
  Launch launch(const KernelCall& call, const KernelConfig& config) const override {
    Shapes shapes{{call.inputs.begin(), call.inputs.end()},
                  {call.outputs.begin(), call.outputs.end()}};
    return {std::make_shared<FaultyProgram>(good_.launch(call, config).host, std::move(shapes),
                                            make_fault_())};
  }

 private:
  std::string name_;
  const KernelDescriptor& good_;
  std::function<Fault()> make_fault_;  // a fault may have state, kept by one plan
};

/// Takes every input for dense, whatever its steps.
class StrideBlindKernel : public FaultyKernel {
 public:
  StrideBlindKernel(std::string name, const KernelDescriptor& good)
      : FaultyKernel(std::move(name), good, [] {
          return [](const HostProgram& program, const Shapes&, const KernelArgs& args) {
            program.run(args);
          };
        }) {}
  Launch launch(const KernelCall& call, const KernelConfig& config) const override {
    std::vector<TensorView> dense;
    dense.reserve(call.inputs.size());
    for (const TensorView& input : call.inputs) {
      dense.push_back(input.given() ? TensorView(input.data, input.dtype, input.shape()) : input);
    }
    KernelCall blind = call;
    blind.inputs = dense;
    return FaultyKernel::launch(blind, config);
  }
};

/// Runs the good program into memory of its own, then hands over what `deliver` lets through.
void into_copy(const HostProgram& good,
               const Shapes& shapes,
               const KernelArgs& args,
               const std::function<void(const TensorView& computed, TensorView output)>& deliver) {
  std::vector<Bytes> copies;
  std::vector<void*> pointers;
  for (const TensorView& output : shapes.outputs) {
    copies.emplace_back(static_cast<std::size_t>(output.size_bytes()) + 64);
    pointers.push_back(copies.back().data());
  }
  KernelArgs inner = args;
  inner.outputs = pointers.data();
  good.run(inner);
  for (std::size_t i = 0; i < pointers.size(); ++i) {
    TensorView computed(pointers[i], shapes.outputs[i].dtype, shapes.outputs[i].shape());
    TensorView output(args.outputs[i], computed.dtype, computed.shape());
    deliver(computed, output);
  }
}

void copy_elements(const TensorView& from, const TensorView& to, std::int64_t count) {
  if (count > 0) {
    std::memcpy(to.data, from.data, static_cast<std::size_t>(count) * size_bytes(from.dtype));
  }
}

void for_each_value(const Shapes& shapes,
                    const KernelArgs& args,
                    const std::function<double(double)>& change) {
  for (std::size_t i = 0; i < shapes.outputs.size(); ++i) {
    const TensorView output(args.outputs[i], shapes.outputs[i].dtype, shapes.outputs[i].shape());
    for (std::int64_t e = 0; e < output.numel(); ++e) {
      store_element(output, e, change(load_element(output, e)));
    }
  }
}

void drops_tail(const HostProgram& good, const Shapes& shapes, const KernelArgs& args) {
  into_copy(good, shapes, args, [](const TensorView& computed, const TensorView& output) {
    copy_elements(computed, output, computed.numel() / 16 * 16);
  });
}

void repeats_row(const HostProgram& good, const Shapes& shapes, const KernelArgs& args) {
  into_copy(good, shapes, args, [](const TensorView& computed, const TensorView& output) {
    copy_elements(computed, output, computed.numel());
    if (computed.rank == 0 || computed.sizes[0] < 2) return;
    const auto row =
        static_cast<std::size_t>(computed.numel() / computed.sizes[0]) * size_bytes(output.dtype);
    auto* end = static_cast<std::byte*>(output.data) + output.size_bytes();
    std::copy(end - 2 * row, end - row, end - row);
  });
}

void writes_past_end(const HostProgram& good, const Shapes& shapes, const KernelArgs& args) {
  good.run(args);
  auto* end = static_cast<std::byte*>(args.outputs[0]) + shapes.outputs[0].size_bytes();
  std::fill_n(end, size_bytes(shapes.outputs[0].dtype), std::byte{0});
}

void writes_input(const HostProgram& good, const Shapes& shapes, const KernelArgs& args) {
  good.run(args);
  if (shapes.inputs[0].numel() == 0) return;
  // The fault itself: a kernel may not write here.
  auto* input = const_cast<void*>(args.inputs[0]);  // NOLINT(cppcoreguidelines-pro-type-const-cast)
  TensorView view = shapes.inputs[0];
  view.data = input;
  store_element(view, 0, load_element(view, 0) + 1.0);
}

void aligns_down(const HostProgram& good, const Shapes& shapes, const KernelArgs& args) {
  std::vector<const void*> inputs;
  inputs.reserve(shapes.inputs.size());
  for (std::size_t i = 0; i < shapes.inputs.size(); ++i) {
    inputs.push_back(
        std::bit_cast<const void*>(std::bit_cast<std::uintptr_t>(args.inputs[i]) / 16 * 16));
  }
  KernelArgs inner = args;
  inner.inputs = inputs.data();
  good.run(inner);
}

/// Changes values of one kind after the fact, and notes that there were some.
Fault replaces(bool (*is_kind)(double), double by, std::shared_ptr<std::atomic<bool>> acted) {
  return [=](const HostProgram& good, const Shapes& shapes, const KernelArgs& args) {
    good.run(args);
    for_each_value(shapes, args, [&](double value) {
      if (!is_kind(value)) return value;
      acted->store(true);
      return by;
    });
  };
}

/// The result of the first call with a plan answers all later ones.
Fault keeps_result() {
  struct State {
    std::mutex mutex;
    std::vector<Bytes> kept;
  };
  auto state = std::make_shared<State>();
  return [state](const HostProgram& good, const Shapes& shapes, const KernelArgs& args) {
    const std::lock_guard lock(state->mutex);
    if (state->kept.empty()) {
      good.run(args);
      for (std::size_t i = 0; i < shapes.outputs.size(); ++i) {
        const auto* bytes = static_cast<const std::byte*>(args.outputs[i]);
        state->kept.emplace_back(bytes, bytes + shapes.outputs[i].size_bytes());
      }
      return;
    }
    for (std::size_t i = 0; i < state->kept.size(); ++i) {
      std::copy(state->kept[i].begin(), state->kept[i].end(),
                static_cast<std::byte*>(args.outputs[i]));
    }
  };
}

/// The sum starts from what the last call left.
Fault keeps_accumulator() {
  struct State {
    std::mutex mutex;
    std::map<std::pair<std::size_t, std::int64_t>, double> sums;
  };
  auto state = std::make_shared<State>();
  return [state](const HostProgram& good, const Shapes& shapes, const KernelArgs& args) {
    const std::lock_guard lock(state->mutex);
    good.run(args);
    for (std::size_t i = 0; i < shapes.outputs.size(); ++i) {
      const TensorView output(args.outputs[i], shapes.outputs[i].dtype, shapes.outputs[i].shape());
      for (std::int64_t e = 0; e < output.numel(); ++e) {
        double& sum = state->sums[{i, e}];
        sum += load_element(output, e);
        store_element(output, e, sum);
      }
    }
  };
}

}  // namespace

std::vector<Twin> memory_twins(const SharedSpec& op, const Backend& backend) {
  std::vector<Twin> twins;
  const KernelDescriptor& good = backend.derived();
  const auto add = [&](const char* name, const char* fault, std::function<Fault()> make) {
    twins.push_back({op->name, fault, std::make_shared<FaultyKernel>(name, good, std::move(make))});
  };
  add("twin_drops_tail", "leaves the last elements unwritten", [] { return drops_tail; });
  add("twin_repeats_row", "computes the last row from the one before", [] { return repeats_row; });
  add("twin_writes_past_end", "writes an element past the output", [] { return writes_past_end; });
  add("twin_writes_input", "changes an input", [] { return writes_input; });
  add("twin_aligns_down", "reads from the aligned address below", [] { return aligns_down; });
  const auto replacing = [&](const char* name, const char* fault, bool (*is_kind)(double),
                             double by) {
    auto acted = std::make_shared<std::atomic<bool>>(false);
    add(name, fault, [=] { return replaces(is_kind, by, acted); });
    twins.back().acted = acted;
  };
  replacing("twin_swallows_nan", "turns nan into 0", [](double x) { return std::isnan(x); }, 0);
  replacing(
      "twin_loses_infinity", "turns infinity into nan", [](double x) { return std::isinf(x); },
      std::numeric_limits<double>::quiet_NaN());
  add("twin_keeps_result", "answers with the last call's result", keeps_result);
  add("twin_keeps_accumulator", "adds to the last call's result", keeps_accumulator);
  twins.push_back({op->name, "takes strided inputs for dense",
                   std::make_shared<StrideBlindKernel>("twin_stride_blind", good)});
  return twins;
}

}  // namespace tileops::certify
