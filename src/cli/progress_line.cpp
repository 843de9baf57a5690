// At most twenty updates a second: small cases take less than a terminal needs to draw a line.
#include "cli/progress_line.h"

#include <fmt/core.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>

namespace tileops::cli {
namespace {

double seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace

ProgressLine::ProgressLine() : terminal_(isatty(STDERR_FILENO) == 1) {}

ProgressLine::~ProgressLine() {
  if (shown_) fmt::print(stderr, "\r\033[K");
}

void ProgressLine::show(const std::string& what, std::size_t done, std::size_t total) {
  if (!terminal_ || seconds() - last_ < 0.05) return;
  last_ = seconds();
  shown_ = true;
  fmt::print(stderr, "\r\033[K[{}/{}] {:.90}", done, total, what);
  std::fflush(stderr);
}

certify::Progress ProgressLine::callback() {
  return [this](const std::string& what, std::size_t done, std::size_t total) {
    show(what, done, total);
  };
}

}  // namespace tileops::cli
