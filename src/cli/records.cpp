// Reads and writes rows as JSON; one row a line, so that a new measurement is a small diff.
#include "cli/records.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <map>
#include <memory>

#include "tileops/error.h"

namespace tileops::cli {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

[[noreturn]] void refuse(const fs::path& path, std::string expected, std::string actual) {
  throw Error(ErrorKind::kMachine, {.op = "tileops bench",
                                    .argument = path.string(),
                                    .expected = std::move(expected),
                                    .actual = std::move(actual),
                                    .mend = "check the path, or remove the file"});
}

Json read_rows(const fs::path& path) {
  std::ifstream file(path);
  if (!file) refuse(path, "a readable file", "cannot be read");
  Json json = Json::parse(file, nullptr, false);
  if (!json.is_array()) refuse(path, "a JSON array of rows", "something else");
  return json;
}

std::string key_of(const Json& row) {
  std::string key;
  for (const char* part : {"op", "workload", "dtype", "params", "l2", "threads", "kernel"}) {
    key += row.value(part, Json()).dump() + " ";
  }
  return key;
}

}  // namespace

int merge_rivals(std::vector<certify::BenchRow>& rows, const fs::path& file) {
  int merged = 0;
  for (const Json& rival : read_rows(file)) {
    for (certify::BenchRow& row : rows) {
      if (rival.value("op", "") != row.op || rival.value("workload", "") != row.workload ||
          rival.value("dtype", "") != row.dtype || rival.value("l2", "") != row.l2 ||
          rival.value("threads", 0) != row.threads) {
        continue;
      }
      row.rivals[rival.value("rival", "rival")] = {rival.value("us", 0.0),
                                                   rival.value("version", "")};
      ++merged;
    }
  }
  return merged;
}

void record(const fs::path& results, const std::vector<certify::BenchRow>& rows) {
  std::map<std::string, std::vector<Json>> by_op;
  for (const certify::BenchRow& row : rows) by_op[row.op].push_back(certify::to_json(row));
  for (const auto& [op, fresh] : by_op) {
    const fs::path path = results / rows.front().device / (op + ".json");
    std::vector<Json> kept;
    if (fs::exists(path)) {
      for (const Json& old : read_rows(path)) {
        const bool replaced = std::any_of(fresh.begin(), fresh.end(), [&](const Json& row) {
          return key_of(row) == key_of(old);
        });
        if (!replaced) kept.push_back(old);
      }
    }
    kept.insert(kept.end(), fresh.begin(), fresh.end());
    fs::create_directories(path.parent_path());
    std::ofstream file(path);
    for (std::size_t i = 0; i < kept.size(); ++i) file << (i == 0 ? "[" : ",\n ") << kept[i].dump();
    file << "]\n";
    if (!file.flush()) refuse(path, "a writable file", "cannot be written");
  }
}

std::string current_commit() {
  const std::unique_ptr<FILE, int (*)(FILE*)> git(
      popen("git rev-parse --short=12 HEAD 2>/dev/null", "r"), &pclose);
  std::array<char, 64> line{};
  if (git == nullptr || std::fgets(line.data(), line.size(), git.get()) == nullptr) return {};
  std::string commit = line.data();
  commit.erase(commit.find_last_not_of('\n') + 1);
  return commit;
}

std::string current_date() {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&now, &utc);
  std::array<char, 16> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%d", &utc);
  return text.data();
}

}  // namespace tileops::cli
