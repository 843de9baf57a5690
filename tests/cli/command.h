// Runs the built `tileops` and keeps what it said.
#pragma once

#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

namespace tileops::cli {

struct Answer {
  int code = -1;
  std::string text;  ///< stdout; with `2>&1` in the arguments stderr as well

  nlohmann::json json() const { return nlohmann::json::parse(text); }
};

inline Answer tileops(const std::string& arguments) {
  const std::string command = std::string(TILEOPS_CLI) + " " + arguments;
  FILE* pipe = popen(command.c_str(), "r");
  Answer answer;
  std::array<char, 4096> buffer{};
  while (const std::size_t size = std::fread(buffer.data(), 1, buffer.size(), pipe)) {
    answer.text.append(buffer.data(), size);
  }
  const int status = pclose(pipe);
  if (WIFEXITED(status)) answer.code = WEXITSTATUS(status);
  return answer;
}

/// A folder of its own for each test, removed afterwards.
class Folder {
 public:
  Folder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "tileops-XXXXXX").string();
    path_ = mkdtemp(pattern.data());
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  std::string file(const std::string& name) const { return (path_ / name).string(); }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path_ / name) << text;
    return file(name);
  }

 private:
  std::filesystem::path path_;
};

}  // namespace tileops::cli
