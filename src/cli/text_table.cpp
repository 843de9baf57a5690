// Columns as wide as their longest cell, two spaces apart.
#include "cli/text_table.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace tileops::cli {

TextTable::TextTable(std::vector<std::string> titles) {
  for (std::string& title : titles) {
    right_.push_back(title.starts_with('>'));
    if (right_.back()) title.erase(0, 1);
  }
  rows_.push_back(std::move(titles));
}

void TextTable::add(std::vector<std::string> row) {
  row.resize(right_.size());
  rows_.push_back(std::move(row));
}

std::string TextTable::text() const {
  std::vector<std::size_t> widths(right_.size(), 0);
  for (const auto& row : rows_) {
    for (std::size_t c = 0; c < widths.size(); ++c) widths[c] = std::max(widths[c], row[c].size());
  }
  std::string text;
  for (const auto& row : rows_) {
    std::string line;
    for (std::size_t c = 0; c < widths.size(); ++c) {
      const std::string padding(widths[c] - row[c].size(), ' ');
      line += (c == 0 ? "" : "  ") + (right_[c] ? padding + row[c] : row[c] + padding);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
  }
  return text;
}

}  // namespace tileops::cli
