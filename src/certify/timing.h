// Time by the clock: contenders take turns in one process on the same buffers, so that they share
// the machine's moods. Knows nothing of operators.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace tileops::certify {

/// One program to be timed. `run(set)` computes on one of several equal sets of buffers.
struct Contender {
  std::string name;
  std::function<void(std::size_t set)> run;
};

/// Microseconds of one call.
struct Timing {
  double median = 0, min = 0, max = 0;
  std::size_t samples = 0;
};

struct RaceOptions {
  std::size_t sets = 1;    ///< 1: warm; more: every call takes the next set, so caches are cold
  double seconds = 0.25;   ///< least time a contender is measured
  std::size_t rounds = 5;  ///< fewest samples, for calls that take longer than that
};

/// A-B-A-B: each round takes one sample of every contender, in order.
std::vector<Timing> race(const std::vector<Contender>& contenders, const RaceOptions& options);

Timing summarise(std::vector<double> microseconds);

}  // namespace tileops::certify
