// Values of expressions without tensor data.
#include "spec/evaluate.h"

#include <gtest/gtest.h>

#include <string>

#include "small_entry.h"
#include "tileops/error.h"

namespace tileops::spec {
namespace {

ParamValue value_of(const std::string& text) {
  static const SmallEntry e = read_entry(
      entry("      x: {dtype: float32, shape: \"[M]\"}\n      w: {dtype: float32, shape: \"[M]\", "
            "optional: true}\n",
            "      y: {dtype: float32, shape: \"[M]\"}\n",
            "    y[m] = w is given ? x[m] * w[m] : x[m]\n", "M: 3, dtypes: [float32]"));
  static const std::vector<TensorView> inputs{
      TensorView(nullptr, DType::kFloat32, std::vector<std::int64_t>{3}), TensorView()};
  Scope scope(*e.op, {}, inputs);
  scope.set("a", std::int64_t{-7});
  scope.set("b", std::int64_t{2});
  scope.set("big", std::int64_t{1} << 62);
  scope.set("half", 0.5);
  scope.set("off", std::monostate());
  scope.set("on", true);
  scope.set("list", Ints{4, 5, 6});
  scope.set_group("C", Ints{8, 9});
  Diagnostics problems;
  const ExprPtr expr =
      parse_expression(std::make_shared<const SourceFile>(SourceFile{"text", text}), problems);
  if (!problems.empty()) throw std::runtime_error(problems.to_text());
  return evaluate(expr, scope);
}

std::string refusal_of(const std::string& text) {
  try {
    return "no error, but " + param_text(value_of(text));
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kValue) << text;
    return error.what();
  }
}

struct Equation {
  std::string text;
  ParamValue value;
};

class Equations : public testing::TestWithParam<Equation> {};

TEST_P(Equations, Hold) {
  EXPECT_EQ(value_of(GetParam().text), GetParam().value) << param_text(value_of(GetParam().text));
}

INSTANTIATE_TEST_SUITE_P(
    Exact,
    Equations,
    testing::Values(Equation{"a / b", std::int64_t{-4}},
                    Equation{"a % b", std::int64_t{1}},
                    Equation{"-a / b", std::int64_t{3}},
                    Equation{"a / -b", std::int64_t{3}},
                    Equation{"a % -b", std::int64_t{-1}},
                    Equation{"-b ^ 2", std::int64_t{-4}},
                    Equation{"b ^ 3 ^ 2", std::int64_t{512}},
                    Equation{"a - 1 - 1", std::int64_t{-9}},
                    Equation{"ceil_div(7, b)", std::int64_t{4}},
                    Equation{"min(a, b) + max(a, b) + abs(a)", std::int64_t{2}},
                    Equation{"big - 1 + big", std::int64_t{(1LL << 62) - 1 + (1LL << 62)}},
                    Equation{"big == big + 1", false},
                    Equation{"bit_and(6, 3) + bit_or(6, 3) + bit_xor(6, 3)", std::int64_t{14}},
                    Equation{"shift_left(1, 4) - shift_right(16, 2)", std::int64_t{12}},
                    Equation{"0 <= b < 3", true},
                    Equation{"0 <= b < 2", false},
                    Equation{"on and not false", true},
                    Equation{"on ? b : a / 0", std::int64_t{2}},  // only the chosen branch is meant
                    Equation{"false and a / 0 == 1", false},
                    Equation{"true or a / 0 == 1", true},
                    Equation{"off ?? b", std::int64_t{2}},
                    Equation{"off ?? off ?? 3", std::int64_t{3}},
                    Equation{"off == none", true},
                    Equation{"b == none", false},
                    Equation{"x is given", true},
                    Equation{"w is given", false},
                    Equation{"b / half", 4.0},
                    Equation{"1 / 2.0", 0.5},
                    Equation{"half < b", true},
                    Equation{"b == 2.0", true},
                    Equation{"rsqrt(0.25)", 2.0},
                    Equation{"len(list)", std::int64_t{3}},
                    Equation{"C... == list", false}));

TEST(Evaluate, RefusesByName) {
  EXPECT_NE(refusal_of("big + big").find("fits 64 bits"), std::string::npos);
  EXPECT_NE(refusal_of("big * b").find("fits 64 bits"), std::string::npos);
  EXPECT_NE(refusal_of("a / (b - 2)").find("0"), std::string::npos);
  EXPECT_NE(refusal_of("a % (b - 2)").find("0"), std::string::npos);
  EXPECT_NE(refusal_of("nowhere + 1").find("nowhere"), std::string::npos);
  EXPECT_NE(refusal_of("shift_left(1, 64)").find("63"), std::string::npos);
  EXPECT_NE(refusal_of("off + 1").find("expected"), std::string::npos);
  EXPECT_NE(refusal_of("on + 1").find("expected"), std::string::npos);
}

}  // namespace
}  // namespace tileops::spec
