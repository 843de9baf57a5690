// Small sizes are distinct primes and neighbours, so that axes that are mistaken for one another
// are found out.
#include "spec/checks/samples.h"

#include <algorithm>

#include "tileops/error.h"

namespace tileops::spec {
namespace {

constexpr std::int64_t kSmall[] = {3, 5, 2, 7, 4, 11, 1, 6, 13, 8};
constexpr std::size_t kSmallCount = sizeof kSmall / sizeof *kSmall;
constexpr int kTurns = 4;  // of small sizes for each workload
constexpr std::size_t kMostBools = 6;

/// Parameters that a rule makes equal to a group's sizes follow them.
void follow_groups(const OpSpec& op, SampleSizes& sample) {
  for (const ExprPtr& rule : op.rules) {
    const auto* apply = get_if<Apply>(rule);
    if (!apply || apply->op != Op::kEq) continue;
    for (std::size_t side : {std::size_t{0}, std::size_t{1}}) {
      const auto* group = get_if<GroupRef>(apply->args[side]);
      const auto* name = get_if<Name>(apply->args[1 - side]);
      auto sizes = group ? sample.sizes.groups.find(group->name) : sample.sizes.groups.end();
      if (!name || sizes == sample.sizes.groups.end()) continue;
      std::erase_if(sample.params, [&](const auto& item) { return item.first == name->name; });
      sample.params.emplace_back(name->name, sizes->second);
    }
  }
}

Sizes small_sizes(const Workload& workload, int turn) {
  Sizes sizes{workload.axes, workload.groups};
  std::size_t next = static_cast<std::size_t>(turn) * 3;
  for (auto& [name, size] : sizes.axes) size = std::min(size, kSmall[next++ % kSmallCount]);
  for (auto& [name, group] : sizes.groups) {
    for (std::int64_t& size : group) size = kSmall[next++ % kSmallCount];
    if (turn == 1) group.push_back(kSmall[next++ % kSmallCount]);
    if (turn == 2 && name.empty()) group.clear();
  }
  return sizes;
}

void with_modes(const OpSpec& op, const SampleSizes& base, std::vector<SampleSizes>& out) {
  std::vector<std::string> bools;
  for (const ParamSpec& param : op.params) {
    bool is_bool = param.types.size() == 1 && param.types[0] == ParamType::kBool;
    if (is_bool && bools.size() < kMostBools) bools.push_back(param.name);
  }
  for (std::size_t mode = 0; mode < (std::size_t{1} << bools.size()); ++mode) {
    SampleSizes sample = base;
    for (std::size_t i = 0; i < bools.size(); ++i) {
      std::erase_if(sample.params, [&](const auto& item) { return item.first == bools[i]; });
      sample.params.emplace_back(bools[i], (mode >> i & 1) != 0);
    }
    follow_groups(op, sample);
    out.push_back(std::move(sample));
  }
}

}  // namespace

std::vector<SampleSizes> sample_sizes(const OpSpec& op) {
  std::vector<SampleSizes> out;
  std::size_t most = std::min<std::size_t>(op.workloads.size(), 3);
  for (std::size_t i = 0; i < most; ++i) {
    const Workload& workload = op.workloads[i];
    SampleSizes own{{workload.axes, workload.groups},
                    {workload.params.begin(), workload.params.end()},
                    workload.dtypes.empty() ? DType::kFloat32 : workload.dtypes.front()};
    with_modes(op, own, out);
    for (int turn = 0; turn < kTurns && i == 0; ++turn) {
      SampleSizes small = own;
      small.sizes = small_sizes(workload, turn);
      with_modes(op, small, out);
    }
  }
  return out;
}

std::vector<Sample> legal_samples(const OpSpec& op) {
  std::vector<Sample> out;
  bool optional = std::any_of(op.inputs.begin(), op.inputs.end(),
                              [](const TensorSpec& tensor) { return tensor.optional; });
  for (const SampleSizes& sizes : sample_sizes(op)) {
    for (bool absent : {false, true}) {
      if (absent && !optional) continue;
      try {
        WorkloadCall call = sized_call(op, sizes.sizes, sizes.params, sizes.dtype);
        for (std::size_t i = 0; i < op.inputs.size(); ++i) {
          if (absent && op.inputs[i].optional) call.inputs[i] = TensorView{};
        }
        Sample sample{call.inputs, call.params, {}};
        sample.sizes = solve_sizes(op, {sample.inputs, sample.params});
        out.push_back(std::move(sample));
      } catch (const Error&) {
        continue;  // not a legal call
      }
    }
  }
  return out;
}

std::string sizes_text(const Sizes& sizes) {
  std::string text;
  for (const auto& [name, size] : sizes.axes) {
    text += (text.empty() ? "" : ", ") + name + " = " + std::to_string(size);
  }
  for (const auto& [name, group] : sizes.groups) {
    text += (text.empty() ? "" : ", ") + name + "... = " + shape_text(group);
  }
  return text;
}

}  // namespace tileops::spec
