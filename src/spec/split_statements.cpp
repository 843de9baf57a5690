// Cuts a definition into statements by its layout. Knows brackets, comments and indentation only.
#include "spec/parser.h"

namespace tileops::spec {
namespace {

struct Line {
  std::string_view text;
  std::size_t indent = 0;
  bool blank = true;
};

std::vector<Line> lines_of(std::string_view text) {
  std::vector<Line> lines;
  while (!text.empty()) {
    std::size_t end = text.find('\n');
    Line line{text.substr(0, end)};
    std::size_t first = line.text.find_first_not_of(" \t\r");
    line.blank = first == std::string_view::npos || line.text[first] == '#';
    line.indent = line.blank ? 0 : first;
    lines.push_back(line);
    text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
  }
  return lines;
}

class Splitter {
 public:
  explicit Splitter(std::string_view whole) : whole_(whole) {}

  std::vector<StatementText> run() {
    std::int32_t number = 0;
    for (const Line& line : lines_of(whole_)) {
      ++number;
      if (line.blank) continue;
      bool continues = begin_ && (depth_ > 0 || line.indent > indent_);
      if (!continues) {
        finish();
        indent_ = line.indent;
      }
      scan(line, number);
    }
    finish();
    return std::move(statements_);
  }

 private:
  void scan(const Line& line, std::int32_t number) {
    for (std::size_t i = line.indent; i < line.text.size(); ++i) {
      char c = line.text[i];
      if (c == '#') break;
      if (c == '(' || c == '[') ++depth_;
      if ((c == ')' || c == ']') && depth_ > 0) --depth_;
      if (c == ';' && depth_ == 0) {
        finish();
        continue;
      }
      if (c == ' ' || c == '\t' || c == '\r') continue;
      if (!begin_) {
        begin_ = line.text.data() + i;
        start_ = {{}, number, static_cast<std::int32_t>(i) + 1};
      }
      end_ = line.text.data() + i + 1;
    }
  }
  void finish() {
    if (begin_) {
      start_.text = std::string_view(begin_, static_cast<std::size_t>(end_ - begin_));
      statements_.push_back(start_);
    }
    begin_ = nullptr;
    depth_ = 0;
  }

  std::string_view whole_;
  std::vector<StatementText> statements_;
  StatementText start_;
  const char* begin_ = nullptr;
  const char* end_ = nullptr;
  std::size_t indent_ = 0;
  int depth_ = 0;
};

}  // namespace

std::vector<StatementText> split_statements(std::string_view definition) {
  return Splitter(definition).run();
}

}  // namespace tileops::spec
