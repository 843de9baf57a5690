// The command line's list of subcommands, and errors as exit codes. Knows no subcommand's meaning.
#include <fmt/core.h>

#include <cstdio>
#include <exception>

#include "cli/session.h"
#include "tileops/error.h"

namespace {

using namespace tileops::cli;  // NOLINT(google-build-using-namespace): this file lists them

int code_of(tileops::ErrorKind kind) {
  switch (kind) {
    case tileops::ErrorKind::kValue:
    case tileops::ErrorKind::kType:
      return kUsage;
    case tileops::ErrorKind::kMachine:
      return kMachine;
    case tileops::ErrorKind::kNotImplemented:
    case tileops::ErrorKind::kBug:
      return kUnable;
  }
  return kUnable;
}

int run(int argc, char** argv) {
  CLI::App app{"TileOps: LLM operators whose spec is the source", "tileops"};
  app.footer(std::string(kExitCodes));
  app.require_subcommand(1);
  Session session;
  app.add_option("--manifest", session.manifest_path,
                 "Operators of this file or folder instead of the embedded ones; no rebuild");
  app.add_option("--threads", session.threads, "CPU threads of a call (default: all)")
      ->check(CLI::Range(0, 4096));
  app.add_flag("--json", session.json, "Machine-readable answer on stdout");
  add_list(app, session);
  add_show(app, session);
  add_check(app, session);
  add_run(app, session);
  add_explain(app, session);
  add_certify(app, session);
  add_bench(app, session);
  add_calibrate(app, session);
  add_report(app, session);
  add_doctor(app, session);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kSuccess : kUsage;
  }
  return exit_code();
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const ManifestProblems& problems) {
    fmt::print(stderr, "{}\n", problems.what());
    return kJudgedWrong;
  } catch (const tileops::Error& error) {
    fmt::print(stderr, "error: {}\n", error.what());
    return code_of(error.kind());
  } catch (const std::exception& error) {
    fmt::print(stderr, "error: {}\n", error.what());
    return kMachine;
  }
}
