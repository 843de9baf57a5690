// From shapes to sizes, by every way that a shape can determine an axis; and parameters.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "small_entry.h"
#include "spec/instantiate.h"
#include "tileops/error.h"

namespace tileops::spec {
namespace {

using Shapes = std::vector<std::vector<std::int64_t>>;

/// Inputs a, b ... of these shapes; an empty text is an input that is absent.
struct Solved {
  Solved(const std::string& text, const Shapes& shapes, const NamedParams& given = {})
      : e(read_entry(text)), params(complete_params(*e.op, given)) {
    for (const auto& shape : shapes) inputs.emplace_back(nullptr, DType::kFloat32, shape);
    inputs.resize(e.op->inputs.size());
    sizes = solve_sizes(*e.op, {inputs, params});
  }
  std::vector<std::int64_t> output_shape() const {
    const TensorView view = infer_outputs(*e.op, {inputs, params}, sizes).at(0);
    return {view.shape().begin(), view.shape().end()};
  }
  SmallEntry e;
  std::vector<ParamValue> params;
  std::vector<TensorView> inputs;
  Sizes sizes;
};

std::string refusal(const std::string& text, const Shapes& shapes, const NamedParams& given = {}) {
  try {
    Solved solved(text, shapes, given);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

const std::string kProduct = entry(input("a", "[M, K]") + input("b", "[N, K]"),
                                   input("y", "[M, N]"),
                                   "    y[m, n] = sum(k: a[m, k] * b[n, k])\n",
                                   "M: 2, N: 3, K: 4, dtypes: [float32]");

TEST(SolveSizes, ByNames) {
  const Solved s(kProduct, {{5, 7}, {6, 7}});
  EXPECT_EQ(s.sizes.axes, (std::map<std::string, std::int64_t>{{"K", 7}, {"M", 5}, {"N", 6}}));
  EXPECT_EQ(s.output_shape(), (std::vector<std::int64_t>{5, 6}));
}

TEST(SolveSizes, NamesTheArgumentThatDoesNotFit) {
  EXPECT_EQ(refusal(kProduct, {{5, 7}, {6, 8}}),
            "TestFwdOp: b: expected shape [N, K] with K = 7 (from a, axis 1), got [6, 8]");
}

const std::string kHalves = entry(input("x", "[M, 2 * N + 1]"),
                                  input("y", "[M, N]"),
                                  "    y[m, n] = x[m, n + N + 1]\n",
                                  "M: 2, N: 3, dtypes: [float32]");

TEST(SolveSizes, ThroughArithmetic) {
  EXPECT_EQ(Solved(kHalves, {{5, 9}}).sizes.axes.at("N"), 4);
  EXPECT_NE(refusal(kHalves, {{5, 8}}).find("x: expected"), std::string::npos);
}

const std::string kGroups = entry(input("x", "[..., C...]") + input("w", "[C...]"),
                                  input("y", "[..., C...]"),
                                  "    y[..., c...] = x[..., c...] * w[c...]\n",
                                  "\"...\": [2], C: [3], dtypes: [float32]");

TEST(SolveSizes, OfGroups) {
  const Solved s(kGroups, {{2, 3, 4, 5}, {4, 5}});
  EXPECT_EQ(s.sizes.groups.at(""), (Ints{2, 3}));
  EXPECT_EQ(s.sizes.groups.at("C"), (Ints{4, 5}));
  EXPECT_EQ(s.output_shape(), (std::vector<std::int64_t>{2, 3, 4, 5}));
  EXPECT_EQ(Solved(kGroups, {{4, 5}, {4, 5}}).sizes.groups.at(""), Ints{});
}

std::string with_params(std::string text, const std::string& params) {
  return text.replace(text.find("  definition:"), 0, "    params:\n" + params);
}

const std::string kTransposed = with_params(
    entry(input("a", "t ? [K, M] : [M, K]"),
          input("y", "[M]"),
          "    y[m] = sum(k: t ? a[k, m] : a[m, k])\n",
          "M: 2, K: 3, t: false, dtypes: [float32]"),
    "      t: {type: bool, default: false}\n      eps: {type: float | none, default: none}\n"
    "      n: {type: int, default: 4}\n");

TEST(SolveSizes, ByTheShapeThatAParameterChooses) {
  EXPECT_EQ(Solved(kTransposed, {{5, 7}}).sizes.axes.at("M"), 5);
  EXPECT_EQ(Solved(kTransposed, {{5, 7}}, {{"t", true}}).sizes.axes.at("M"), 7);
}

TEST(CompleteParams, DefaultsAndConversions) {
  const SmallEntry e = read_entry(kTransposed);
  const OpSpec& op = *e.op;
  EXPECT_EQ(complete_params(op, {}),
            (std::vector<ParamValue>{false, std::monostate(), std::int64_t{4}}));
  EXPECT_EQ(complete_params(op, {{"eps", std::int64_t{2}}, {"t", true}}),
            (std::vector<ParamValue>{true, 2.0, std::int64_t{4}}));
}

TEST(CompleteParams, RefusesByName) {
  EXPECT_EQ(refusal(kTransposed, {{5, 7}}, {{"ept", 1.0}}),
            "TestFwdOp: ept: expected one of the parameters `t`, `eps`, `n`, got an unknown "
            "parameter; did you mean `eps`?");
  EXPECT_EQ(refusal(kTransposed, {{5, 7}}, {{"n", 1.5}}),
            "TestFwdOp: n: expected int, got float 1.5");
  EXPECT_EQ(refusal(kTransposed, {{5, 7}}, {{"n", std::monostate()}}),
            "TestFwdOp: n: expected int, got none none");
  EXPECT_EQ(refusal(kTransposed, {{5, 7}}, {{"t", true}, {"t", true}}),
            "TestFwdOp: t: expected one value, got two values; remove one of them");
}

}  // namespace
}  // namespace tileops::spec
