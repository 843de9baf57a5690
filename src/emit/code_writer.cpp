// Literals, comments and files.
#include "emit/code_writer.h"

#include <fmt/format.h>

#include <fstream>
#include <sstream>

#include "tileops/error.h"

namespace tileops::emit {

std::string cpp_bytes(std::string_view bytes) {
  constexpr std::size_t kLine = 24;
  std::string out;
  for (std::size_t i = 0; i < bytes.size(); i += kLine) {
    out += "\n    \"";
    for (char c : bytes.substr(i, kLine)) {
      out += fmt::format("\\{:03o}", static_cast<unsigned char>(c));
    }
    out += "\"";
  }
  return out.empty() ? "\"\"" : out;
}

std::string cpp_string(std::string_view text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (c == '\n') {
      out += "\\n";
    } else {
      out += c;
    }
  }
  return out + "\"";
}

std::string doc_comment(std::string_view text, std::string_view indent) {
  std::string out;
  while (!text.empty()) {
    std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    out += fmt::format("{}///{}{}\n", indent, line.empty() ? "" : " ", line);
    text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
  }
  return out;
}

bool write_if_changed(const std::filesystem::path& path, const std::string& text) {
  std::ifstream old(path, std::ios::binary);
  std::ostringstream before;
  before << old.rdbuf();
  if (old && before.str() == text) return false;
  std::filesystem::create_directories(path.parent_path());
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.flush();
  if (!file) {
    throw Error(ErrorKind::kMachine, {{}, path.string(), "a file that can be written", "none", {}});
  }
  return true;
}

}  // namespace tileops::emit
