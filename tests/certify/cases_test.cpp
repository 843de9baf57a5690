// Cases follow from the entry: every size is legal, every property is tried.
#include "certify/cases.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "certify/rows_alone.h"
#include "certify/size_variants.h"
#include "runtime/engine.h"

namespace tileops::certify {
namespace {

const spec::OpSpec& entry(const char* name) {
  return *runtime::Registry::shipped().find(name).engine().op();
}

bool some(const std::vector<Case>& cases, const std::function<bool(const Case&)>& is) {
  return std::any_of(cases.begin(), cases.end(), is);
}

TEST(Cases, NamesComeFromTheInputsShapes) {
  const FreeNames gemm = free_names(entry("GemmFwdOp"));
  EXPECT_EQ(std::set(gemm.axes.begin(), gemm.axes.end()), (std::set<std::string>{"K", "M", "N"}));
  const FreeNames norm = free_names(entry("RMSNormFwdOp"));
  EXPECT_EQ(norm.groups, (std::vector<std::string>{"", "C"}));
}

TEST(Cases, ParametersAreTriedInAllCombinations) {
  std::set<std::string> seen;
  for (const NamedParams& params : param_variants(entry("GemmFwdOp"))) {
    bool a = false, b = true;
    for (const auto& [name, value] : params) {
      (name == "trans_a" ? a : b) = std::get<bool>(value);
    }
    seen.insert(std::string(a ? "a" : "") + (b ? "b" : ""));
  }
  EXPECT_EQ(seen.size(), 4U);
}

TEST(Cases, AParameterThatARuleBindsFollowsTheSizes) {
  const spec::OpSpec& op = entry("RMSNormFwdOp");
  spec::Sizes sizes;
  sizes.groups[""] = {2};
  sizes.groups["C"] = {3, 4};
  const auto call = legal_call(op, sizes, param_variants(op).front(), DType::kBFloat16);
  ASSERT_TRUE(call.has_value());
  EXPECT_EQ(std::get<Ints>(call->params[0]), (Ints{3, 4}));
}

TEST(Cases, EveryOperatorIsTriedOnEdgesViewsAndHostileData) {
  for (const std::string& name : runtime::Registry::shipped().names()) {
    const std::vector<Case> cases = small_cases(entry(name.c_str()));
    for (const Layout layout : {Layout::kUnaligned, Layout::kPadded, Layout::kStrided,
                                Layout::kTransposed, Layout::kBroadcast}) {
      EXPECT_TRUE(some(cases, [&](const Case& c) { return c.layout == layout; })) << name;
    }
    for (const Data data : {Data::kInfinities, Data::kNans, Data::kZeros, Data::kDenormals,
                            Data::kExtremes, Data::kTies, Data::kConstant, Data::kSorted}) {
      EXPECT_TRUE(some(cases, [&](const Case& c) { return c.data == data; })) << name;
    }
    EXPECT_TRUE(some(cases, [](const Case& c) { return c.call.inputs[0].numel() == 0; })) << name;
    EXPECT_TRUE(some(cases, [](const Case& c) { return c.call.inputs[0].numel() == 1; }) ||
                name == "SiluAndMulFwdOp");
    for (const DType dtype : free_dtypes(entry(name.c_str()))) {
      EXPECT_TRUE(some(cases, [&](const Case& c) { return c.call.inputs[0].dtype == dtype; }));
    }
  }
}

TEST(Cases, CatalogueCasesAreTheWorkloadsAtEveryDtype) {
  const std::vector<Case> cases = catalogue_cases(entry("SiluAndMulFwdOp"));
  ASSERT_EQ(cases.size(), 3U);
  EXPECT_EQ(cases[1].label, "llama-8b-swiglu-prefill bfloat16");
  EXPECT_EQ(cases[1].call.inputs[0].sizes[1], 2 * 14336);
}

TEST(Cases, DynamicAxesOfBatchInvariantOperatorsAreTriedAlone) {
  EXPECT_EQ(invariant_axes(entry("RMSNormFwdOp")).size(), 1U);
  EXPECT_TRUE(invariant_axes(entry("GemmFwdOp")).empty());
}

}  // namespace
}  // namespace tileops::certify
