// A bound is the longest of what must happen, after the launch.
#include "certify/cpu_profile.h"

#include <gtest/gtest.h>

namespace tileops::certify {
namespace {

CpuProfile profile() {
  CpuProfile profile;
  profile.launch_us = 1;
  profile.cache_bytes = 1e6;
  profile.functions_per_us = 100;
  profile.matmul_per_us = {{DType::kFloat32, 1000}, {DType::kBFloat16, 4000}};
  profile.bandwidth = {{1e4, 1e-5, 1e-5}, {1e8, 1e-4, 2e-4}};
  return profile;
}

TEST(Bound, ReadsAndWritesHaveTheirOwnCost) {
  const lower::OperationCount count{.bytes_read = 1e6, .bytes_written = 1e6};
  EXPECT_DOUBLE_EQ(profile().bound_us(count, DType::kFloat32, true), 1 + 100 + 200);
}

TEST(Bound, WarmCallsThatFitTheCacheGoByItsRate) {
  const lower::OperationCount count{.bytes_read = 1e5, .bytes_written = 1e5};
  EXPECT_DOUBLE_EQ(profile().bound_us(count, DType::kFloat32, false), 1 + 1 + 1);
  EXPECT_DOUBLE_EQ(profile().bound_us(count, DType::kFloat32, true), 1 + 10 + 20);
}

TEST(Bound, TheLongestPartDecides) {
  lower::OperationCount count{.functions = 1e4, .bytes_read = 1e5};
  EXPECT_DOUBLE_EQ(profile().bound_us(count, DType::kFloat32, true), 1 + 100);
  count.flops = 8e6;
  EXPECT_DOUBLE_EQ(profile().bound_us(count, DType::kBFloat16, true), 1 + 2000);
  EXPECT_DOUBLE_EQ(profile().bound_us(count, DType::kFloat16, true), 1 + 8000);  // as float32
}

}  // namespace
}  // namespace tileops::certify
