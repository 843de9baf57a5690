// Aligned columns for people: numbers to the right, text to the left.
#pragma once

#include <string>
#include <vector>

namespace tileops::cli {

class TextTable {
 public:
  /// A column whose title starts with '>' is aligned to the right.
  explicit TextTable(std::vector<std::string> titles);
  void add(std::vector<std::string> row);
  std::string text() const;

 private:
  std::vector<bool> right_;
  std::vector<std::vector<std::string>> rows_;  // the first holds the titles
};

}  // namespace tileops::cli
