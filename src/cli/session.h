// What every subcommand shares: the global options, the registry they choose, and exit codes.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "runtime/engine.h"
#include "tileops/context.h"

namespace tileops::cli {

enum ExitCode {
  kSuccess = 0,
  kJudgedWrong = 1,  ///< a manifest with problems, a failed certificate, a surviving twin
  kUsage = 2,        ///< bad options or arguments
  kMachine = 3,      ///< the machine's fault: files, memory, devices
  kUnable = 4,       ///< legal but not computed by this build, or a bug
};

inline constexpr std::string_view kExitCodes =
    "Exit codes: 0 done and right; 1 judged wrong (manifest problems, failed certificate, "
    "surviving "
    "twin); 2 bad usage or arguments; 3 machine (files, memory); 4 not implemented, or a bug.";

class Session {
 public:
  std::string manifest_path;  ///< --manifest; empty: the embedded manifest
  int threads = 0;            ///< --threads; 0: OpenMP's default
  bool json = false;          ///< --json

  /// The operators of --manifest, or the shipped ones. Throws ManifestProblems.
  runtime::Registry& registry();
  Context context() const;
  /// The same with the number of threads spelled out: this machine's, unless --threads says.
  Context judging_context() const;

 private:
  std::unique_ptr<runtime::Registry> loaded_;
};

/// A manifest that was refused; what() is all of its diagnostics.
class ManifestProblems : public std::exception {
 public:
  explicit ManifestProblems(std::string text) : text_(std::move(text)) {}
  const char* what() const noexcept override { return text_.c_str(); }

 private:
  std::string text_;
};

/// A subcommand of `app` that runs `body` and leaves its answer as the process's exit code.
CLI::App* add_command(CLI::App& app, const char* name, const char* help);
void on_run(CLI::App* command, std::function<int()> body);

/// What the chosen subcommand returned.
int exit_code();

void print_json(const nlohmann::ordered_json& json);

// One subcommand a file.
void add_list(CLI::App& app, Session& session);
void add_show(CLI::App& app, Session& session);
void add_check(CLI::App& app, Session& session);
void add_run(CLI::App& app, Session& session);
void add_explain(CLI::App& app, Session& session);
void add_certify(CLI::App& app, Session& session);
void add_bench(CLI::App& app, Session& session);
void add_calibrate(CLI::App& app, Session& session);
void add_report(CLI::App& app, Session& session);
void add_doctor(CLI::App& app, Session& session);

}  // namespace tileops::cli
