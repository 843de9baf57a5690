// How a problem of a manifest reads.
#include "spec/diagnostic.h"

#include <algorithm>
#include <tuple>

namespace tileops::spec {
namespace {

constexpr std::size_t kMostColumns = 160;

std::string_view line_of(std::string_view text, std::int32_t number) {
  for (std::int32_t i = 1; i < number; ++i) {
    std::size_t end = text.find('\n');
    if (end == std::string_view::npos) return {};
    text.remove_prefix(end + 1);
  }
  std::string_view line = text.substr(0, text.find('\n'));
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  return line;
}

/// The line with a caret under the place; long lines are shown around it.
std::string picture(const SourceSpan& span) {
  std::string_view line = line_of(span.file->text, span.line);
  if (line.empty()) return {};
  auto column = static_cast<std::size_t>(std::max(span.column, 1)) - 1;
  column = std::min(column, line.size());
  std::size_t begin = column > kMostColumns / 2 ? column - kMostColumns / 2 : 0;
  if (line.size() <= kMostColumns) begin = 0;
  std::string shown(line.substr(begin, kMostColumns));
  std::replace_if(
      shown.begin(), shown.end(), [](unsigned char c) { return c < 0x20 || c == 0x7F; }, ' ');
  auto length = static_cast<std::size_t>(std::max(span.length, 1));
  length = std::max<std::size_t>(1, std::min(length, shown.size() - (column - begin)));
  return "    " + shown + "\n    " + std::string(column - begin, ' ') + std::string(length, '^') +
         "\n";
}

}  // namespace

std::string to_text(const Diagnostic& diagnostic) {
  const SourceSpan& span = diagnostic.span;
  std::string text;
  if (span.file) {
    text = span.file->path + ":" + std::to_string(span.line) + ":" + std::to_string(span.column) +
           ": ";
  }
  text += diagnostic.op;
  if (!diagnostic.field.empty()) text += (diagnostic.op.empty() ? "" : ", ") + diagnostic.field;
  if (!diagnostic.op.empty() || !diagnostic.field.empty()) text += ": ";
  text += diagnostic.problem + "\n";
  if (span.file) text += picture(span);
  std::string detail;
  auto part = [&](const char* label, const std::string& value) {
    if (!value.empty()) detail += (detail.empty() ? "  " : "; ") + (label + (": " + value));
  };
  part("expected", diagnostic.expected);
  part("actual", diagnostic.actual);
  part("mend", diagnostic.mend);
  return detail.empty() ? text : text + detail + "\n";
}

std::string Diagnostics::to_text() const {
  std::vector<const Diagnostic*> sorted;
  for (const Diagnostic& item : items_) sorted.push_back(&item);
  auto key = [](const Diagnostic* d) {
    return std::tuple(d->span.file ? d->span.file->path : std::string(), d->span.line,
                      d->span.column);
  };
  std::stable_sort(sorted.begin(), sorted.end(),
                   [&](const auto* a, const auto* b) { return key(a) < key(b); });
  std::string text;
  for (const Diagnostic* item : sorted) text += spec::to_text(*item);
  return text;
}

}  // namespace tileops::spec
