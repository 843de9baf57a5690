// How the five parts of an error read as one line.
#include "tileops/error.h"

#include <utility>

namespace tileops {
namespace {

std::string message_of(const ErrorParts& parts) {
  std::string text = parts.op;
  if (!parts.argument.empty()) text += (text.empty() ? "" : ": ") + parts.argument;
  std::string detail;
  if (!parts.expected.empty()) detail += "expected " + parts.expected;
  if (!parts.actual.empty()) detail += (detail.empty() ? "" : ", ") + ("got " + parts.actual);
  if (!detail.empty()) text += (text.empty() ? "" : ": ") + detail;
  if (!parts.mend.empty()) text += (text.empty() ? "" : "; ") + parts.mend;
  return text;
}

}  // namespace

Error::Error(ErrorKind kind, ErrorParts parts)
    : kind_(kind), parts_(std::move(parts)), message_(message_of(parts_)) {}

}  // namespace tileops
