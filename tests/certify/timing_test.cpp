// Contenders take turns, on every set of buffers.
#include "certify/timing.h"

#include <gtest/gtest.h>

#include <chrono>
#include <set>
#include <string>
#include <thread>

namespace tileops::certify {
namespace {

TEST(Timing, MedianOfAnEvenNumberIsTheMiddle) {
  const Timing timing = summarise({4, 1, 2, 3});
  EXPECT_DOUBLE_EQ(timing.median, 2.5);
  EXPECT_DOUBLE_EQ(timing.min, 1);
  EXPECT_DOUBLE_EQ(timing.max, 4);
}

TEST(Timing, ContendersTakeTurns) {
  std::string order;
  const auto slow = [&order](char name) {
    return [&order, name](std::size_t) {
      order += name;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    };
  };
  race({{"a", slow('a')}, {"b", slow('b')}}, {.sets = 1, .seconds = 0, .rounds = 4});
  // Two calls each to warm up, then rounds.
  EXPECT_EQ(order,
            "aabb"
            "abababab");
}

TEST(Timing, ColdCallsGoThroughAllSets) {
  std::set<std::size_t> seen;
  race({{"a", [&seen](std::size_t set) { seen.insert(set); }}},
       {.sets = 5, .seconds = 0, .rounds = 3});
  EXPECT_EQ(seen.size(), 5U);
}

TEST(Timing, AMillisecondIsMeasuredAsOne) {
  const auto sleep = [](std::size_t) { std::this_thread::sleep_for(std::chrono::milliseconds(1)); };
  const Timing timing = race({{"sleep", sleep}}, {.sets = 1, .seconds = 0, .rounds = 5}).front();
  EXPECT_GE(timing.min, 1000);
}

}  // namespace
}  // namespace tileops::certify
