// The table of environment variables. `tileops doctor` and docs/environment.md show the same.
#include "runtime/environment.h"

#include <pthread.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <cstdlib>
#include <thread>

#include "tileops/error.h"

namespace tileops::runtime {
namespace {

constexpr std::array kVariables = {
    Variable{"TILEOPS_THREADS", "CPU threads of a call that does not say how many"},
    Variable{"TILEOPS_CPU_TARGET",
             "instruction set of the CPU kernels, such as AVX2; empty: the best one"},
    Variable{"TILEOPS_KERNEL", "kernel that every call must use, by name"},
    Variable{"TILEOPS_LOG", "`select`: a line on stderr for each selection of a kernel"},
};

std::array<std::string, kVariables.size()> read_all() {
  std::array<std::string, kVariables.size()> values;
  for (std::size_t i = 0; i < kVariables.size(); ++i) {
    const char* value = std::getenv(kVariables[i].name.data());
    if (value) values[i] = value;
  }
  return values;
}

}  // namespace

std::span<const Variable> variables() {
  return kVariables;
}

const std::string& variable(std::string_view name) {
  static const auto values = read_all();
  auto at = std::find_if(kVariables.begin(), kVariables.end(),
                         [&](const Variable& v) { return v.name == name; });
  return values[static_cast<std::size_t>(at - kVariables.begin())];
}

int default_threads() {
  static const int threads = [] {
    const std::string& text = variable("TILEOPS_THREADS");
    if (text.empty()) return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
    int value = 0;
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size() || value < 1) {
      throw Error(ErrorKind::kValue,
                  {{}, "TILEOPS_THREADS", "a number of threads of at least 1", text, {}});
    }
    return value;
  }();
  return threads;
}

bool is_forked_child() {
  static std::atomic<bool> forked = false;
  static const bool watched = [] {
    return pthread_atfork(nullptr, nullptr, [] { forked = true; }) == 0;
  }();
  return watched && forked.load(std::memory_order_relaxed);
}

}  // namespace tileops::runtime
