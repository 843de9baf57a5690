// `tileops certify`: judges operators and writes their certificates.
#include <fmt/core.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "backend/cpu/cpu_backend.h"
#include "certify/certificate.h"
#include "certify/self_test.h"
#include "cli/progress_line.h"
#include "cli/session.h"
#include "cli/text_table.h"
#include "tileops/error.h"

namespace tileops::cli {
namespace {

namespace fs = std::filesystem;

struct CertifyArguments {
  std::vector<std::string> ops;
  std::string out;
  bool all = false, self_test = false;
  certify::CertifyOptions options;
  bool small_only = false;
};

void write(const fs::path& path, const nlohmann::ordered_json& json) {
  fs::create_directories(path.parent_path());
  std::ofstream file(path);
  file << json.dump(1) << '\n';
  if (!file.flush()) {
    throw Error(ErrorKind::kMachine, {.op = "tileops certify",
                                      .argument = path.string(),
                                      .expected = "a writable file",
                                      .actual = "cannot be written",
                                      .mend = "choose another --out"});
  }
}

void print_failures(const certify::Certificate& certificate) {
  constexpr int kMost = 10;
  int shown = 0;
  for (const certify::CaseReport& report : certificate.reports) {
    if (report.verdict.passed) continue;
    if (++shown > kMost) break;
    fmt::print("  {} {}, {}: {}\n", certificate.op, report.kernel, report.label,
               report.verdict.why);
  }
  if (certificate.failed() > kMost) fmt::print("  ... {} more\n", certificate.failed() - kMost);
}

int certify_all(Session& session, const CertifyArguments& arguments) {
  runtime::Registry& registry = session.registry();
  const std::vector<std::string> names = arguments.all ? registry.names() : arguments.ops;
  nlohmann::ordered_json answers = nlohmann::ordered_json::array();
  TextTable table({"operator", "device", "verdict", ">cases", ">failed", ">margin", ">seconds"});
  std::vector<certify::Certificate> failed;
  for (const std::string& name : names) {
    const auto start = std::chrono::steady_clock::now();
    ProgressLine line;
    auto certificate =
        certify::certify_operator(registry.find(name), arguments.options, line.callback());
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    const nlohmann::ordered_json json = certify::to_json(certificate);
    if (!arguments.out.empty()) {
      write(fs::path(arguments.out) / certificate.device / (name + ".json"), json);
    }
    answers.push_back(json);
    answers.back().erase("ran");
    table.add({name, certificate.device, certificate.passed() ? "passed" : "FAILED",
               std::to_string(certificate.reports.size()), std::to_string(certificate.failed()),
               fmt::format("{:.3f}", certificate.margin()), fmt::format("{:.1f}", took.count())});
    if (!certificate.passed()) failed.push_back(std::move(certificate));
  }
  if (session.json) {
    print_json(arguments.all || names.size() != 1 ? answers : answers[0]);
  } else {
    fmt::print("{}", table.text());
    for (const certify::Certificate& certificate : failed) print_failures(certificate);
  }
  return failed.empty() ? kSuccess : kJudgedWrong;
}

int certify_twins(Session& session, const CertifyArguments& arguments) {
  certify::SelfTest test;
  {
    ProgressLine line;
    test =
        certify::self_test(session.registry(), cpu::backend(), arguments.options, line.callback());
  }
  if (session.json) {
    print_json(certify::to_json(test));
  } else {
    TextTable table({"operator", "twin", "verdict", "what gave it away"});
    for (const certify::TwinReport& twin : test.twins) {
      table.add({twin.op, twin.twin, twin.rejected ? "rejected" : "SURVIVED",
                 fmt::format("{:.100}", twin.why)});
    }
    fmt::print("{}", table.text());
    for (const certify::Certificate& control : test.controls) {
      fmt::print("{} sound kernel: {} cases, {} failed\n", control.op, control.reports.size(),
                 control.failed());
      print_failures(control);
    }
  }
  return test.passed() ? kSuccess : kJudgedWrong;
}

int certify(Session& session, CertifyArguments& arguments) {
  arguments.options.context = session.judging_context();
  if (arguments.self_test) return certify_twins(session, arguments);
  if (!arguments.all && arguments.ops.empty()) {
    throw Error(ErrorKind::kValue, {.op = "tileops certify",
                                    .argument = "OP",
                                    .expected = "operators, --all or --self-test",
                                    .actual = "none",
                                    .mend = "name an operator of `tileops list`"});
  }
  arguments.options.catalogue = !arguments.small_only;
  return certify_all(session, arguments);
}

}  // namespace

void add_certify(CLI::App& app, Session& session) {
  CLI::App* command = add_command(app, "certify", "Judge operators by their oracles");
  auto arguments = std::make_shared<CertifyArguments>();
  command->add_option("op", arguments->ops, "Operators, such as GemmFwdOp");
  command->add_flag("--all", arguments->all, "Every operator of the manifest");
  command->add_flag("--self-test", arguments->self_test,
                    "Judge broken twins of every operator: all must be rejected");
  command->add_option("--kernel", arguments->options.only_kernel, "Only this kernel");
  command->add_option("--seed", arguments->options.seed, "Of the inputs");
  command->add_flag("--small", arguments->small_only, "Without the entry's workloads");
  command->add_flag("--full", arguments->options.full,
                    "Whole outputs at whole sizes, however long it takes");
  command->add_option("--out", arguments->out, "Write certificates to DIR/<device>/<Op>.json");
  on_run(command, [&session, arguments] { return certify(session, *arguments); });
}

}  // namespace tileops::cli
