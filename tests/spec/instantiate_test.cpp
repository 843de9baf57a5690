// What is left of the language in an instance: definitions at sizes and parameters, as they print.
#include "spec/instantiate.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "small_entry.h"
#include "spec/is_instance.h"
#include "spec/print.h"
#include "tileops/error.h"

namespace tileops::spec {
namespace {

/// One statement a line.
std::string instance(const std::string& text,
                     const std::vector<std::vector<std::int64_t>>& shapes,
                     const NamedParams& given = {}) {
  const SmallEntry e = read_entry(text);
  std::vector<TensorView> inputs;
  for (const auto& shape : shapes) inputs.emplace_back(nullptr, DType::kFloat32, shape);
  inputs.resize(e.op->inputs.size());
  const auto params = complete_params(*e.op, given);
  const CallShapes call{inputs, params};
  const Instance made = instantiate(e.op, e.prelude, call, solve_sizes(*e.op, call));
  EXPECT_EQ(why_no_instance(made), "");
  std::string out;
  for (const Statement& statement : made.statements) out += print(statement) + "\n";
  return out;
}

TEST(Instantiate, PutsSizesAndRangesIn) {
  const std::string text =
      entry(input("x", "[M, 2 * N]"), input("y", "[M, N]"), "    y[m, n] = x[m, n + N] * N\n",
            "M: 2, N: 3, dtypes: [float32]");
  EXPECT_EQ(instance(text, {{4, 10}}), "y[m, n] = x[m, n + 5] * 5\n");
}

TEST(Instantiate, ExpandsGroupsAndBroadcasts) {
  const std::string text =
      entry(input("x", "[..., C...]") + input("w", "[C...]"), input("y", "[..., C...]"),
            "    r[...] = sum(c...: x[..., c...])\n"
            "    y[..., c...] = x[..., c...] * w[c...] - r[...]\n",
            "\"...\": [2], C: [3], dtypes: [float32]");
  const std::string made = instance(text, {{2, 3, 4}, {3, 4}});
  EXPECT_NE(made.find("sum("), std::string::npos) << made;
  EXPECT_EQ(made.find("..."), std::string::npos) << made;
}

TEST(Instantiate, ChoosesByParametersAndPresence) {
  std::string text = entry(
      input("x", "[M]") + input("w", "[M]", ", optional: true"), input("y", "[M]"),
      "    y[m] = (w is given ? x[m] * w[m] : x[m]) + (eps ?? 1)\n", "M: 3, dtypes: [float32]");
  text.replace(text.find("  definition:"), 0,
               "    params:\n      eps: {type: float | none, default: none}\n");
  EXPECT_EQ(instance(text, {{3}, {3}}, {{"eps", 0.5}}), "y[m] = x[m] * w[m] + 0.5\n");
  EXPECT_EQ(instance(text, {{3}}), "y[m] = x[m] + 1\n");
}

TEST(Instantiate, ExpandsHelpersAndCompositions) {
  const std::string text = entry(input("x", "[M, N]"), input("y", "[M, N]"),
                                 "    twice(a) := a + a\n"
                                 "    y[m, n] = softmax(n: twice(x[m, n]))\n",
                                 "M: 2, N: 3, dtypes: [float32]");
  const std::string made = instance(text, {{2, 3}});
  EXPECT_EQ(made.find("softmax"), std::string::npos) << made;
  EXPECT_EQ(made.find("twice"), std::string::npos) << made;
  EXPECT_NE(made.find("max("), std::string::npos) << made;
}

TEST(Instantiate, EveryShippedWorkloadIsAnInstance) {
  const auto shipped = read_manifest_path(std::string(TILEOPS_SOURCE_DIR) + "/manifest", nullptr);
  const auto prelude = std::make_shared<const Prelude>(shipped.manifest.prelude);
  for (const OpSpec& entry : shipped.manifest.operators) {
    const auto op = std::make_shared<const OpSpec>(entry);
    for (const Workload& workload : entry.workloads) {
      const WorkloadCall made = workload_call(entry, workload, workload.dtypes.at(0));
      const CallShapes call{made.inputs, made.params};
      EXPECT_EQ(why_no_instance(instantiate(op, prelude, call, solve_sizes(entry, call))), "")
          << entry.name << " " << workload.label;
    }
  }
}

TEST(WhyNoInstance, NamesWhatIsLeft) {
  const SmallEntry e =
      read_entry(entry(input("x", "[M, N]"), input("y", "[M, N]"),
                       "    y[m, n] = softmax(n: x[m, n])\n", "M: 2, N: 3, dtypes: [float32]"));
  Instance raw;
  raw.op = e.op;
  raw.prelude = e.prelude;
  raw.statements = e.op->definition;
  EXPECT_NE(why_no_instance(raw), "");
}

}  // namespace
}  // namespace tileops::spec
