// `tileops list`: the operators at hand and the kernels that compute them.
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <map>
#include <string>
#include <vector>

#include "cli/session.h"
#include "cli/text_table.h"

namespace tileops::cli {
namespace {

/// kernel_map by backend, with what is implied: `derived` on the backend of this build.
std::map<std::string, std::vector<std::string>> kernels_of(const Operator& op) {
  std::map<std::string, std::vector<std::string>> kernels = op.engine().op()->kernel_map;
  kernels["cpu"] = op.engine().kernels();
  return kernels;
}

int list(Session& session) {
  runtime::Registry& registry = session.registry();
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  TextTable table({"operator", "family", "kernels", "summary"});
  for (const std::string& name : registry.names()) {
    const Operator op = registry.find(name);
    const spec::OpSpec& entry = *op.engine().op();
    const auto kernels = kernels_of(op);
    json.push_back({{"op", name}, {"family", entry.family}, {"kernels", kernels}});
    std::string cell;
    for (const auto& [backend, names] : kernels) {
      cell += fmt::format("{}{}: {}", cell.empty() ? "" : "; ", backend, fmt::join(names, " "));
    }
    table.add({name, entry.family, cell, entry.summary});
  }
  if (session.json) {
    print_json(json);
  } else {
    fmt::print("{}", table.text());
  }
  return kSuccess;
}

}  // namespace

void add_list(CLI::App& app, Session& session) {
  CLI::App* command = add_command(app, "list", "List operators and their kernels");
  on_run(command, [&session] { return list(session); });
}

}  // namespace tileops::cli
