// The registry that the global options choose, and how a subcommand's answer reaches main.
#include "cli/session.h"

#include <fmt/core.h>

#include <algorithm>
#include <thread>
#include <utility>

#include "spec/reader.h"

namespace tileops::cli {
namespace {

int& answer() {
  static int code = kSuccess;
  return code;
}

}  // namespace

runtime::Registry& Session::registry() {
  if (manifest_path.empty()) return runtime::Registry::shipped();
  if (loaded_ == nullptr) {
    spec::ReadResult read =
        spec::read_manifest_path(manifest_path, &runtime::Registry::shipped().prelude());
    if (!read.diagnostics.empty()) throw ManifestProblems(read.diagnostics.to_text());
    loaded_ = std::make_unique<runtime::Registry>(std::move(read.manifest));
  }
  return *loaded_;
}

Context Session::context() const {
  Context context;
  context.threads = threads;
  return context;
}

Context Session::judging_context() const {
  Context context = this->context();
  if (context.threads == 0) {
    context.threads = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  }
  return context;
}

CLI::App* add_command(CLI::App& app, const char* name, const char* help) {
  CLI::App* command = app.add_subcommand(name, help);
  command->fallthrough();  // global options may follow the subcommand
  command->footer(std::string(kExitCodes));
  return command;
}

void on_run(CLI::App* command, std::function<int()> body) {
  command->callback([body = std::move(body)] { answer() = body(); });
}

int exit_code() {
  return answer();
}

void print_json(const nlohmann::ordered_json& json) {
  fmt::print("{}\n", json.dump(2));
}

}  // namespace tileops::cli
