// `tileops report`: runs, certifies and times every operator at its catalogue shapes; one table.
#include <fmt/core.h>

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "certify/bench.h"
#include "certify/calibrate_cpu.h"
#include "certify/certificate.h"
#include "cli/bench_table.h"
#include "cli/progress_line.h"
#include "cli/records.h"
#include "cli/session.h"
#include "cli/text_table.h"

namespace tileops::cli {
namespace {

struct ReportArguments {
  std::vector<std::string> ops;
  certify::BenchOptions bench;
};

/// Verdicts by workload and dtype; what small cases say stands in a line of its own.
struct Judged {
  certify::Certificate certificate;
  std::map<std::string, const certify::CaseReport*> workloads;
  std::int64_t small = 0, small_failed = 0;
  double small_margin = 0;
};

Judged judge(certify::Certificate certificate, std::size_t workload_count) {
  Judged judged{std::move(certificate), {}, 0, 0, 0};
  const auto& reports = judged.certificate.reports;
  const std::size_t small = reports.size() - std::min(reports.size(), workload_count);
  for (std::size_t i = 0; i < reports.size(); ++i) {
    const certify::CaseReport& report = reports[i];
    if (i >= small) {
      judged.workloads[report.label] = &report;
      continue;
    }
    ++judged.small;
    judged.small_failed += report.verdict.passed ? 0 : 1;
    judged.small_margin = std::max(judged.small_margin, report.verdict.margin);
  }
  return judged;
}

std::string cases_text(std::int64_t passed, std::int64_t all) {
  return fmt::format("{}/{}", passed, all);
}

void add_rows(TextTable& table, const Judged& judged, const std::vector<certify::BenchRow>& rows) {
  table.add({judged.certificate.op, "edges and hostile inputs", "all", "all",
             cases_text(judged.small - judged.small_failed, judged.small),
             fmt::format("{:.3f}", judged.small_margin)});
  for (const certify::BenchRow& row : rows) {
    const auto found = judged.workloads.find(row.workload + " " + row.dtype);
    std::string cases = "shrunk", margin;
    if (found != judged.workloads.end()) {
      cases = cases_text(found->second->verdict.passed ? 1 : 0, 1);
      margin = fmt::format("{:.3f}", found->second->verdict.margin);
    }
    std::string rivals;
    for (const auto& [name, rival] : row.rivals) {
      rivals +=
          fmt::format("{}{} {:.2f}x", rivals.empty() ? "" : ", ", name, rival.us / row.time.median);
    }
    table.add({row.op, row.workload, row.dtype, row.kernel, cases, margin,
               time_text(row.time.median), time_text(row.bound_us),
               fmt::format("{:.0f} %", 100 * row.efficiency()), rivals});
  }
}

int report(Session& session, ReportArguments& arguments) {
  runtime::Registry& registry = session.registry();
  certify::CertifyOptions certifying;
  certifying.context = arguments.bench.context = session.judging_context();
  arguments.bench.cold = {true};
  const auto start = std::chrono::steady_clock::now();
  TextTable table({"operator", "workload", "dtype", "kernel", ">passed", ">margin", ">time",
                   ">bound", ">efficiency", "rivals"});
  std::vector<certify::Certificate> failed;
  {
    ProgressLine line;
    const auto profile = certify::calibrate_cpu(certifying.context.threads, line.callback());
    for (const std::string& name : arguments.ops.empty() ? registry.names() : arguments.ops) {
      const Operator op = registry.find(name);
      const auto rows = certify::bench_operator(op, profile, arguments.bench, line.callback());
      const Judged judged =
          judge(certify::certify_operator(op, certifying, line.callback()), rows.size());
      add_rows(table, judged, rows);
      if (!judged.certificate.passed()) failed.push_back(judged.certificate);
    }
  }
  fmt::print("{}", table.text());
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  fmt::print(
      "{} threads, {:.0f} s. Margin: distance to the oracle over the tolerance, below 1. "
      "Efficiency: bound over time.\n",
      certifying.context.threads, took.count());
  for (const certify::Certificate& certificate : failed) {
    for (const certify::CaseReport& one : certificate.reports) {
      if (one.verdict.passed) continue;
      fmt::print("FAILED {} {}, {}: {}\n", certificate.op, one.kernel, one.label, one.verdict.why);
    }
  }
  return failed.empty() ? kSuccess : kJudgedWrong;
}

}  // namespace

void add_report(CLI::App& app, Session& session) {
  CLI::App* command =
      add_command(app, "report", "Certify and time operators at their workloads; print one table");
  auto arguments = std::make_shared<ReportArguments>();
  arguments->bench.rounds = 3;
  command->add_option("op", arguments->ops, "Operators (default: all)");
  command->add_option("--seconds", arguments->bench.seconds, "Least time a program is measured");
  on_run(command, [&session, arguments] { return report(session, *arguments); });
}

}  // namespace tileops::cli
