// `tileops doctor`: what this build sees of the machine, and whether an operator runs on it.
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <cstdlib>
#include <string>
#include <thread>

#include "backend/cpu/cpu_backend.h"
#include "cli/session.h"
#include "cli/text_table.h"

namespace tileops::cli {
namespace {

int doctor(Session& session) {
  const Backend& backend = cpu::backend();
  const std::string device = backend.device(0).name;
  const auto targets = cpu::targets();
  const auto names = session.registry().names();
  nlohmann::ordered_json json{{"backend", backend.name()},
                              {"device", device},
                              {"threads", std::thread::hardware_concurrency()},
                              {"targets", targets},
                              {"active_target", cpu::active_target()},
                              {"operators", names.size()}};
  if (session.json) {
    print_json(json);
    return kSuccess;
  }
  TextTable table({"what", "found"});
  table.add({"backend", std::string(backend.name())});
  table.add({"device", device});
  table.add({"hardware threads", std::to_string(std::thread::hardware_concurrency())});
  table.add({"instruction sets", fmt::format("{}", fmt::join(targets, " "))});
  table.add({"in use", cpu::active_target()});
  table.add({"operators", fmt::format("{}: {}", names.size(), fmt::join(names, " "))});
  fmt::print("{}", table.text());
  return kSuccess;
}

}  // namespace

void add_doctor(CLI::App& app, Session& session) {
  CLI::App* command = add_command(app, "doctor", "Show what this build sees of the machine");
  on_run(command, [&session] { return doctor(session); });
}

}  // namespace tileops::cli
