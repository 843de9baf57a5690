// Cold: every call takes the next of many sets of buffers, together several times the last cache.
#include "certify/bench.h"

#include <omp.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <nlohmann/json.hpp>

#include "certify/inputs/input_data.h"
#include "certify/instance_of.h"
#include "certify/kernel_hash.h"
#include "certify/rivals/rival.h"
#include "runtime/engine.h"
#include "spec/archive.h"

namespace tileops::certify {
namespace {

constexpr std::int64_t kColdBytes = 512 << 20;
constexpr std::int64_t kMostSets = 8192;

/// Equal buffers, of which each call takes the next.
class BufferSets {
 public:
  BufferSets(const Operator& op,
             const spec::WorkloadCall& call,
             const NamedParams& params,
             bool cold,
             int threads) {
    const auto& entry = *op.engine().op();
    const std::vector<TensorView> outputs = op.infer(call.inputs, params);
    std::int64_t bytes = 0;
    for (const TensorView& view : call.inputs) bytes += view.given() ? view.size_bytes() : 0;
    for (const TensorView& view : outputs) bytes += view.size_bytes();
    const std::int64_t sets =
        cold ? std::clamp<std::int64_t>(kColdBytes / std::max<std::int64_t>(bytes, 1), 1,
                                        kMostSets) +
                   1
             : 1;
    for (std::int64_t set = 0; set < sets; ++set) {
      inputs_.emplace_back();
      outputs_.emplace_back();
      for (std::size_t i = 0; i < call.inputs.size(); ++i) {
        add_input(call.inputs[i], entry.inputs[i].role, i, threads);
      }
      for (const TensorView& like : outputs) {
        outputs_.back().push_back(allocate(like));
        std::memset(outputs_.back().back().data, 0, static_cast<std::size_t>(like.size_bytes()));
      }
    }
  }

  std::size_t count() const { return inputs_.size(); }
  const std::vector<TensorView>& inputs(std::size_t set) const { return inputs_[set]; }
  const std::vector<TensorView>& outputs(std::size_t set) const { return outputs_[set]; }

 private:
  TensorView allocate(const TensorView& like) {
    memory_.push_back(Tensor::empty(like.shape(), like.dtype));
    return memory_.back();
  }

  /// The first set is random; the others are copies, since only their places matter.
  void add_input(const TensorView& like, const std::string& role, std::size_t index, int threads) {
    if (!like.given()) {
      inputs_.back().emplace_back();
      return;
    }
    const TensorView input = allocate(like);
    if (inputs_.size() == 1) {
      fill_input(input, role, Data::kRandom, index + 1, threads);
    } else if (input.numel() > 0) {
      std::memcpy(input.data, inputs_[0][index].data, static_cast<std::size_t>(input.size_bytes()));
    }
    inputs_.back().push_back(input);
  }

  std::vector<Tensor> memory_;
  std::vector<std::vector<TensorView>> inputs_, outputs_;
};

class Bench {
 public:
  Bench(const Operator& op, const CpuProfile& profile, const BenchOptions& options)
      : op_(op), entry_(*op.engine().op()), profile_(profile), options_(options) {}

  BenchRow measure(const spec::Workload& workload, DType dtype, bool cold) const {
    const spec::WorkloadCall call = spec::workload_call(entry_, workload, dtype);
    const NamedParams params = with_names(entry_, call.params);
    const BufferSets sets(op_, call, params, cold, options_.context.threads);
    const Prepared prepared = op_.prepare(sets.inputs(0), sets.outputs(0), params, options_.context,
                                          {options_.only_kernel});
    BenchRow row = describe(workload, call, dtype, cold);
    row.kernel = prepared.kernel();
    row.kernel_hash = kernel_hash(row.kernel);

    const std::vector<Rival> rivals = rivals_of({.op = entry_.name,
                                                 .inputs = sets.inputs(0),
                                                 .outputs = sets.outputs(0),
                                                 .params = call.params,
                                                 .threads = options_.context.threads,
                                                 .instance = nullptr});
    std::vector<Contender> contenders{
        {row.kernel, [&](std::size_t set) { prepared.run(sets.inputs(set), sets.outputs(set)); }}};
    for (const Rival& rival : rivals) {
      contenders.push_back(
          {rival.name, [&](std::size_t set) { rival.run(sets.inputs(set), sets.outputs(set)); }});
    }
    omp_set_num_threads(options_.context.threads);  // what rivals run on
    const std::vector<Timing> times = race(
        contenders, {.sets = sets.count(), .seconds = options_.seconds, .rounds = options_.rounds});
    row.time = times[0];
    for (std::size_t i = 0; i < rivals.size(); ++i) {
      row.rivals[rivals[i].name] = {times[i + 1].median, rivals[i].version};
    }
    return row;
  }

 private:
  BenchRow describe(const spec::Workload& workload,
                    const spec::WorkloadCall& call,
                    DType dtype,
                    bool cold) const {
    const NamedParams params = with_names(entry_, call.params);
    const auto count = lower::count_operations(*instance_of(op_, call.inputs, params));
    BenchRow row;
    row.op = entry_.name;
    row.workload = workload.label;
    row.dtype = dtype_name(dtype);
    row.device = options_.device;
    row.l2 = cold ? "cold" : "warm";
    row.spec_hash = spec::spec_hash(entry_, *op_.engine().prelude());
    row.commit = options_.commit;
    row.date = options_.date;
    row.threads = options_.context.threads;
    for (const auto& [name, value] : params) row.params[name] = param_text(value);
    row.bound_us = profile_.bound_us(count, dtype, cold);
    row.flops = count.flops;
    row.bytes = count.bytes_read + count.bytes_written;
    return row;
  }

  const Operator& op_;
  const spec::OpSpec& entry_;
  const CpuProfile& profile_;
  const BenchOptions& options_;
};

/// Three significant decimals: more would be noise in every diff of the records.
double rounded(double us) {
  return std::round(us * 1000) / 1000;
}

}  // namespace

std::vector<BenchRow> bench_operator(const Operator& op,
                                     const CpuProfile& profile,
                                     const BenchOptions& options,
                                     const Progress& progress) {
  const spec::OpSpec& entry = *op.engine().op();
  const Bench bench(op, profile, options);
  std::vector<BenchRow> rows;
  for (const spec::Workload& workload : entry.workloads) {
    if (!options.only_workload.empty() && options.only_workload != workload.label) continue;
    for (const DType dtype : workload.dtypes) {
      for (const bool cold : options.cold) {
        if (progress) {
          progress("bench " + entry.name + " " + workload.label, rows.size(),
                   entry.workloads.size() * options.cold.size());
        }
        rows.push_back(bench.measure(workload, dtype, cold));
      }
    }
  }
  return rows;
}

nlohmann::ordered_json to_json(const BenchRow& row) {
  nlohmann::ordered_json rivals = nlohmann::ordered_json::object();
  for (const auto& [name, rival] : row.rivals) {
    rivals[name] = {{"us", rounded(rival.us)}, {"version", rival.version}};
  }
  return {{"op", row.op},
          {"workload", row.workload},
          {"dtype", row.dtype},
          {"params", row.params},
          {"device", row.device},
          {"threads", row.threads},
          {"l2", row.l2},
          {"kernel", row.kernel},
          {"config", row.config},
          {"us_median", rounded(row.time.median)},
          {"us_min", rounded(row.time.min)},
          {"us_max", rounded(row.time.max)},
          {"bound_us", rounded(row.bound_us)},
          {"efficiency", rounded(row.efficiency())},
          {"flops", row.flops},
          {"bytes", row.bytes},
          {"rivals", rivals},
          {"kernel_hash", row.kernel_hash},
          {"spec_hash", row.spec_hash},
          {"commit", row.commit},
          {"date", row.date}};
}

}  // namespace tileops::certify
