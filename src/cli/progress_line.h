// A line on the terminal that says what is being done; nothing where no one is watching.
#pragma once

#include "certify/progress.h"

namespace tileops::cli {

/// Rewrites one line of stderr; clears it when destroyed. Silent unless stderr is a terminal.
class ProgressLine {
 public:
  ProgressLine();
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void show(const std::string& what, std::size_t done, std::size_t total);
  certify::Progress callback();

 private:
  bool terminal_ = false;
  bool shown_ = false;
  double last_ = 0;
};

}  // namespace tileops::cli
