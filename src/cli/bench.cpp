// `tileops bench`: times operators on their workloads beside their rivals.
#include "certify/bench.h"

#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "certify/calibrate_cpu.h"
#include "cli/bench_table.h"
#include "cli/progress_line.h"
#include "cli/records.h"
#include "cli/session.h"

namespace tileops::cli {
namespace {

struct BenchArguments {
  std::vector<std::string> ops;
  std::string l2 = "both", rivals, results = "results";
  bool record = false;
  certify::BenchOptions options;
};

std::vector<certify::BenchRow> measure(Session& session, const BenchArguments& arguments) {
  runtime::Registry& registry = session.registry();
  ProgressLine line;
  const auto profile = certify::calibrate_cpu(arguments.options.context.threads, line.callback());
  std::vector<certify::BenchRow> rows;
  for (const std::string& name : arguments.ops.empty() ? registry.names() : arguments.ops) {
    auto measured =
        certify::bench_operator(registry.find(name), profile, arguments.options, line.callback());
    rows.insert(rows.end(), measured.begin(), measured.end());
  }
  return rows;
}

int bench(Session& session, BenchArguments& arguments) {
  arguments.options.context = session.judging_context();
  arguments.options.commit = current_commit();
  arguments.options.date = current_date();
  if (arguments.l2 != "both") arguments.options.cold = {arguments.l2 == "cold"};
  std::vector<certify::BenchRow> rows = measure(session, arguments);
  if (!arguments.rivals.empty()) merge_rivals(rows, arguments.rivals);
  if (session.json) {
    nlohmann::ordered_json json = nlohmann::ordered_json::array();
    for (const certify::BenchRow& row : rows) json.push_back(certify::to_json(row));
    print_json(json);
  } else {
    fmt::print("{}", bench_table(rows));
  }
  const auto impossible = std::stable_partition(
      rows.begin(), rows.end(), [](const certify::BenchRow& row) { return row.is_possible(); });
  for (auto row = impossible; row != rows.end(); ++row) {
    fmt::print(stderr, "not a record: {} {} {} {} took {:.2f} us, below its bound of {:.2f} us\n",
               row->op, row->workload, row->dtype, row->l2, row->time.median, row->bound_us);
  }
  const bool all_possible = impossible == rows.end();
  rows.erase(impossible, rows.end());
  if (arguments.record && !rows.empty()) record(arguments.results, rows);
  return all_possible ? kSuccess : kJudgedWrong;
}

}  // namespace

void add_bench(CLI::App& app, Session& session) {
  CLI::App* command = add_command(app, "bench", "Time operators on their workloads");
  auto arguments = std::make_shared<BenchArguments>();
  command->add_option("op", arguments->ops, "Operators (default: all)");
  command->add_option("--workload", arguments->options.only_workload, "Only this workload");
  command->add_option("--kernel", arguments->options.only_kernel, "Force this kernel by name");
  command->add_option("--l2", arguments->l2, "State of the caches: cold, warm, both")
      ->check(CLI::IsMember({"cold", "warm", "both"}));
  command->add_option("--seconds", arguments->options.seconds, "Least time a program is measured");
  command->add_option("--rounds", arguments->options.rounds, "Fewest samples of a program");
  command->add_option("--rivals", arguments->rivals, "Rows timed by bench/pytorch_cpu.py");
  command->add_flag("--record", arguments->record,
                    "Write the rows to <results>/<device>/<Op>.json");
  command->add_option("--results", arguments->results, "Folder of the records");
  on_run(command, [&session, arguments] { return bench(session, *arguments); });
}

}  // namespace tileops::cli
