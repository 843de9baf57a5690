// `tileops run`: one call on generated or loaded inputs, with the oracle's answer beside it.
#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "certify/inputs/input_data.h"
#include "certify/instance_of.h"
#include "certify/oracle/acceptance.h"
#include "certify/oracle/oracle.h"
#include "cli/call_arguments.h"
#include "cli/npy.h"
#include "cli/session.h"
#include "tileops/error.h"

namespace tileops::cli {
namespace {

namespace fs = std::filesystem;
namespace oracle = certify::oracle;

struct RunArguments {
  std::string load, save;
  bool oracle = false;
  std::uint64_t seed = 1;
};

struct Call {
  std::vector<Tensor> inputs;
  NamedParams params;
};

DType loaded_dtype(const spec::OpSpec& op,
                   const spec::TensorSpec& input,
                   const std::vector<Tensor>& before,
                   DType free,
                   DType stored) {
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (op.inputs[i].name == input.dtype.same_as) return before[i].dtype();
  }
  const auto& legal = input.dtype.any_of;
  if (std::find(legal.begin(), legal.end(), free) != legal.end()) return free;
  if (std::find(legal.begin(), legal.end(), stored) != legal.end() || legal.empty()) return stored;
  return legal.front();
}

Call loaded_call(const spec::OpSpec& op, const CallArguments& arguments, const fs::path& folder) {
  Call call;
  const DType free = free_dtype(op, arguments);
  for (const spec::TensorSpec& input : op.inputs) {
    const fs::path file = folder / (input.name + ".npy");
    if (input.optional && !fs::exists(file)) {
      call.inputs.emplace_back();
      continue;
    }
    const Tensor stored = read_npy(file);
    call.inputs.push_back(
        convert(stored, loaded_dtype(op, input, call.inputs, free, stored.dtype())));
  }
  call.params = named_params(op, arguments.params);
  return call;
}

Call generated_call(const spec::OpSpec& op,
                    const CallArguments& arguments,
                    std::uint64_t seed,
                    int threads) {
  const spec::WorkloadCall built = build_call(op, arguments);
  Call call;
  call.params = certify::with_names(op, built.params);
  for (std::size_t i = 0; i < built.inputs.size(); ++i) {
    if (!built.inputs[i].given()) {
      call.inputs.emplace_back();
      continue;
    }
    call.inputs.push_back(Tensor::empty(built.inputs[i].shape(), built.inputs[i].dtype));
    certify::fill_input(call.inputs.back(), op.inputs[i].role, certify::Data::kRandom,
                        seed * 1000 + i, threads);
  }
  return call;
}

/// Saves the oracle's values before rounding, and says how far the kernel's are from them.
bool consult_oracle(const Operator& op,
                    const std::vector<TensorView>& inputs,
                    const NamedParams& params,
                    const std::vector<Tensor>& outputs,
                    const std::string& save,
                    int threads,
                    nlohmann::ordered_json& answer) {
  oracle::Oracle judge(certify::instance_of(op, inputs, params), {});
  judge.bind(inputs);
  bool passed = true;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const TensorView& output = outputs[i].view();
    const std::int64_t count = output.numel();
    const oracle::Values values = judge.evaluate(static_cast<int>(i), 0, count, threads);
    const std::string& name = op.engine().op()->outputs[i].name;
    if (!save.empty()) {
      std::vector<double> truth = values.x;
      write_npy(fs::path(save) / (name + ".oracle.npy"),
                TensorView(truth.data(), DType::kFloat64, output.shape()));
    }
    oracle::Acceptance acceptance(output.dtype, false, false);
    acceptance.add(values, output, 0);
    const oracle::Verdict verdict = acceptance.verdict(1);
    passed = passed && verdict.passed;
    answer["oracle"].push_back({{"output", name},
                                {"passed", verdict.passed},
                                {"margin", verdict.margin},
                                {"wrong", verdict.wrong}});
  }
  answer["passed"] = passed;
  return passed;
}

std::string chosen_kernel(const Operator& op,
                          const std::vector<TensorView>& inputs,
                          const NamedParams& params,
                          const Context& context,
                          const CallOptions& options) {
  for (const auto& candidate : op.engine().explain(inputs, params, context, options)) {
    if (candidate.chosen) return candidate.kernel;
  }
  return "none";
}

void print_text(const nlohmann::ordered_json& answer) {
  fmt::print("{} ran on kernel {}\n", answer["op"].get<std::string>(),
             answer["kernel"].get<std::string>());
  for (const char* part : {"inputs", "outputs"}) {
    for (const auto& tensor : answer[part]) {
      fmt::print("  {:<8} {} {} {}\n", part, tensor["name"].get<std::string>(),
                 tensor["dtype"].get<std::string>(), tensor["shape"].get<std::string>());
    }
  }
  if (!answer.contains("oracle")) return;
  for (const auto& verdict : answer["oracle"]) {
    fmt::print("  oracle   {}: {}, margin {:.3f}\n", verdict["output"].get<std::string>(),
               verdict["passed"].get<bool>() ? "accepted" : "REJECTED",
               verdict["margin"].get<double>());
  }
}

nlohmann::ordered_json describe(const std::string& name, const TensorView& tensor) {
  return {{"name", name},
          {"dtype", dtype_name(tensor.dtype)},
          {"shape", tensor.given() ? shape_text(tensor.shape()) : "not given"}};
}

int run(Session& session, const CallArguments& arguments, const RunArguments& options) {
  const Operator op = session.registry().find(arguments.op);
  const spec::OpSpec& entry = *op.engine().op();
  const int threads = session.judging_context().threads;
  const Call call = options.load.empty() ? generated_call(entry, arguments, options.seed, threads)
                                         : loaded_call(entry, arguments, options.load);
  const std::vector<TensorView> inputs(call.inputs.begin(), call.inputs.end());
  const CallOptions steering{arguments.kernel};
  const auto outputs = op.call(inputs, call.params, session.context(), steering);

  nlohmann::ordered_json answer{
      {"op", entry.name},
      {"kernel", chosen_kernel(op, inputs, call.params, session.context(), steering)},
      {"inputs", nlohmann::ordered_json::array()},
      {"outputs", nlohmann::ordered_json::array()}};
  if (!options.save.empty()) fs::create_directories(options.save);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    answer["inputs"].push_back(describe(entry.inputs[i].name, inputs[i]));
    if (!options.save.empty() && inputs[i].given()) {
      write_npy(fs::path(options.save) / (entry.inputs[i].name + ".npy"), inputs[i]);
    }
  }
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    answer["outputs"].push_back(describe(entry.outputs[i].name, outputs[i]));
    if (!options.save.empty()) {
      write_npy(fs::path(options.save) / (entry.outputs[i].name + ".npy"), outputs[i]);
    }
  }
  bool passed = true;
  if (options.oracle) {
    passed = consult_oracle(op, inputs, call.params, outputs, options.save, threads, answer);
  }
  if (session.json) {
    print_json(answer);
  } else {
    print_text(answer);
  }
  return passed ? kSuccess : kJudgedWrong;
}

}  // namespace

void add_run(CLI::App& app, Session& session) {
  CLI::App* command = add_command(app, "run", "Call an operator once on random or loaded inputs");
  const auto arguments = add_call_arguments(command);
  auto options = std::make_shared<RunArguments>();
  command->add_option("--load", options->load, "Read inputs from DIR/<input>.npy");
  command->add_option("--save", options->save, "Write inputs and outputs to DIR/<name>.npy");
  command->add_flag("--oracle", options->oracle,
                    "Judge the outputs; with --save, write DIR/<output>.oracle.npy in float64");
  command->add_option("--seed", options->seed, "Of the random inputs");
  on_run(command, [&session, arguments, options] { return run(session, *arguments, *options); });
}

}  // namespace tileops::cli
