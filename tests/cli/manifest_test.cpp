// An operator of a manifest that is written here checks, runs, certifies and is timed, unbuilt.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "command.h"

namespace tileops::cli {
namespace {

constexpr const char* kSquaredRelu = R"(
SquaredReluFwdOp:
  summary: Squared ReLU with a scale for each row.
  family: elementwise
  since: 0.1.0
  ref_api: none
  signature:
    inputs:
      x: {dtype: float16 | bfloat16 | float32, shape: "[M, N]"}
      scale: {dtype: same_as(x), shape: "[M]"}
    outputs:
      y: {dtype: same_as(x), shape: "[M, N]"}
  definition: |
    y[m, n] = square(relu(x[m, n])) * scale[m]
  axes: {M: dynamic}
  workloads:
    - {label: small, M: 64, N: 512, dtypes: [bfloat16, float32]}
  promises: [deterministic]
)";

class TemporaryManifest : public testing::Test {
 protected:
  Answer run(const std::string& arguments) const {
    return tileops("--manifest " + path_ + " " + arguments);
  }

  Folder folder_;
  std::string path_ = folder_.write("squared_relu.yaml", kSquaredRelu);
};

TEST_F(TemporaryManifest, Checks) {
  const Answer answer = tileops("check --json " + path_);
  ASSERT_EQ(answer.code, 0) << answer.text;
  EXPECT_EQ(answer.json()["operators"], 1);
}

TEST_F(TemporaryManifest, Lists) {
  const Answer answer = run("list --json");
  ASSERT_EQ(answer.code, 0);
  ASSERT_EQ(answer.json().size(), 1U);
  EXPECT_EQ(answer.json()[0]["op"], "SquaredReluFwdOp");
}

TEST_F(TemporaryManifest, Runs) {
  const Answer answer = run("run SquaredReluFwdOp --size M=5 --size N=7 --oracle --json");
  ASSERT_EQ(answer.code, 0) << answer.text;
  EXPECT_EQ(answer.json()["kernel"], "derived");
  EXPECT_TRUE(answer.json()["passed"]);
}

TEST_F(TemporaryManifest, Certifies) {
  const Answer answer = run("certify SquaredReluFwdOp --json");
  ASSERT_EQ(answer.code, 0) << answer.text;
  EXPECT_TRUE(answer.json()["passed"]);
  EXPECT_GT(answer.json()["cases"], 100);
}

TEST_F(TemporaryManifest, IsTimed) {
  const Answer answer = run("bench SquaredReluFwdOp --seconds 0.001 --json 2>/dev/null");
  const auto rows = answer.json();
  ASSERT_EQ(rows.size(), 4U);  // two dtypes, cold and warm
  for (const auto& row : rows) {
    EXPECT_GT(row["us_median"], 0);
    EXPECT_LE(row["us_min"], row["us_median"]);
    EXPECT_LE(row["us_median"], row["us_max"]);
    EXPECT_GT(row["bound_us"], 0);
    EXPECT_EQ(row["kernel"], "derived");
    EXPECT_EQ(row["bytes"], (2 * 64 * 512 + 64) * (row["dtype"] == "float32" ? 4 : 2));
  }
}

TEST(BadManifest, AllProblemsAreReportedWithTheirPlaces) {
  const Folder folder;
  std::string text = kSquaredRelu;
  text.replace(text.find("bfloat16 | float32"), 8, "float17");
  text.replace(text.find("axes: {M"), 8, "axis: {M");
  const std::string path = folder.write("bad.yaml", text);
  const Answer answer = tileops("check --json " + path);
  ASSERT_EQ(answer.code, 1);
  const auto report = answer.json();
  ASSERT_GE(report["errors"].size(), 2U) << answer.text;
  for (const auto& error : report["errors"]) {
    EXPECT_GT(error["line"], 0) << error;
    EXPECT_FALSE(error["problem"].get<std::string>().empty());
  }
  EXPECT_EQ(tileops("--manifest " + path + " list 2>/dev/null").code, 1);
}

}  // namespace
}  // namespace tileops::cli
