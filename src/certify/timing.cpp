// A sample repeats short calls until the clock's own cost (about 25 ns) is below one part in 500.
#include "certify/timing.h"

#include <algorithm>
#include <chrono>

namespace tileops::certify {
namespace {

constexpr double kSampleUs = 12.5;
constexpr std::size_t kMostSamples = 100000;

using Clock = std::chrono::steady_clock;

double elapsed_us(Clock::time_point start) {
  return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
}

class Runner {
 public:
  /// `first`: the set that it begins with.
  Runner(const Contender& contender, std::size_t sets, std::size_t first)
      : contender_(contender), sets_(sets), set_(first) {
    contender_.run(next());  // first touch, thread pools
    const Clock::time_point start = Clock::now();
    contender_.run(next());
    const double once = elapsed_us(start);
    calls_ = once > kSampleUs ? 1 : static_cast<std::size_t>(kSampleUs / std::max(once, 0.01)) + 1;
  }

  void sample() {
    const Clock::time_point start = Clock::now();
    for (std::size_t i = 0; i < calls_; ++i) contender_.run(next());
    const double us = elapsed_us(start);
    total_ += us;
    samples_.push_back(us / static_cast<double>(calls_));
  }

  bool done(const RaceOptions& options) const {
    if (samples_.size() >= kMostSamples) return true;
    return total_ >= options.seconds * 1e6 && samples_.size() >= options.rounds;
  }
  std::vector<double> take() { return std::move(samples_); }

 private:
  std::size_t next() { return set_++ % sets_; }

  const Contender& contender_;
  std::size_t sets_, set_, calls_ = 1;
  double total_ = 0;
  std::vector<double> samples_;
};

}  // namespace

Timing summarise(std::vector<double> us) {
  if (us.empty()) return {};
  std::sort(us.begin(), us.end());
  const std::size_t middle = us.size() / 2;
  const double median = us.size() % 2 == 1 ? us[middle] : (us[middle - 1] + us[middle]) / 2;
  return {median, us.front(), us.back(), us.size()};
}

std::vector<Timing> race(const std::vector<Contender>& contenders, const RaceOptions& options) {
  std::vector<Runner> runners;
  runners.reserve(contenders.size());
  // Far apart, so that none finds in the caches what another one has just read.
  for (std::size_t i = 0; i < contenders.size(); ++i) {
    runners.emplace_back(contenders[i], options.sets, i * options.sets / contenders.size());
  }
  const auto all_done = [&] {
    return std::all_of(runners.begin(), runners.end(),
                       [&](const Runner& runner) { return runner.done(options); });
  };
  while (!all_done()) {
    for (Runner& runner : runners) runner.sample();
  }
  std::vector<Timing> timings;
  for (Runner& runner : runners) timings.push_back(summarise(runner.take()));
  return timings;
}

}  // namespace tileops::certify
