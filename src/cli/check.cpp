// `tileops check`: reads a manifest and reports all of its problems together.
#include <fmt/core.h>

#include <filesystem>
#include <memory>
#include <string>

#include "cli/session.h"
#include "spec/reader.h"
#include "tileops/error.h"

namespace tileops::cli {
namespace {

nlohmann::ordered_json to_json(const spec::Diagnostic& d) {
  return {{"file", d.span.file ? d.span.file->path : ""},
          {"line", d.span.line},
          {"column", d.span.column},
          {"op", d.op},
          {"field", d.field},
          {"problem", d.problem},
          {"expected", d.expected},
          {"actual", d.actual},
          {"mend", d.mend}};
}

std::string path_to_check(const Session& session, const std::string& path) {
  if (!path.empty()) return path;
  if (!session.manifest_path.empty()) return session.manifest_path;
  if (std::filesystem::is_directory("manifest")) return "manifest";
  throw Error(ErrorKind::kValue, {.op = "tileops check",
                                  .argument = "PATH",
                                  .expected = "a manifest file or a folder of them",
                                  .actual = "none given, and no folder `manifest` here",
                                  .mend = "pass the path of a manifest"});
}

int check(Session& session, const std::string& given) {
  const std::string path = path_to_check(session, given);
  const spec::ReadResult read =
      spec::read_manifest_path(path, &runtime::Registry::shipped().prelude());
  const auto& problems = read.diagnostics.items();
  if (session.json) {
    nlohmann::ordered_json errors = nlohmann::ordered_json::array();
    for (const spec::Diagnostic& problem : problems) errors.push_back(to_json(problem));
    print_json({{"errors", errors}, {"operators", read.manifest.operators.size()}});
  } else if (problems.empty()) {
    fmt::print("{}: {} operators, no problems\n", path, read.manifest.operators.size());
  } else {
    fmt::print("{}\n{}: {} problem{}\n", read.diagnostics.to_text(), path, problems.size(),
               problems.size() == 1 ? "" : "s");
  }
  return problems.empty() ? kSuccess : kJudgedWrong;
}

}  // namespace

void add_check(CLI::App& app, Session& session) {
  CLI::App* command = add_command(app, "check", "Check a manifest; report all problems at once");
  auto path = std::make_shared<std::string>();
  command->add_option("path", *path, "A manifest or a folder of them (default: manifest/)");
  on_run(command, [&session, path] { return check(session, *path); });
}

}  // namespace tileops::cli
