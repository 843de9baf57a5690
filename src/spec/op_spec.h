// An operator as its manifest entry declares it: the typed IR that everything else follows from.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "spec/ast.h"
#include "tileops/param.h"

namespace tileops::spec {

/// `float16 | bfloat16`, `same_as(a)`, or `param(out_dtype)`.
struct DTypeRule {
  std::vector<DType> any_of;
  std::string same_as;
  std::string param;
  static constexpr auto fields() {
    return std::tuple{&DTypeRule::any_of, &DTypeRule::same_as, &DTypeRule::param};
  }
};

struct TensorSpec {
  std::string name;
  DTypeRule dtype;
  ExprPtr shape;  ///< a ShapeLit, or a Select of shapes
  bool optional = false;
  std::string role = "values";
  bool contiguous = false;
  bool mutated = false;
  ExprPtr mutated_when;  ///< null: always, if mutated
  SourceSpan span;
  static constexpr auto fields() {
    return std::tuple{&TensorSpec::name,     &TensorSpec::dtype,       &TensorSpec::shape,
                      &TensorSpec::optional, &TensorSpec::role,        &TensorSpec::contiguous,
                      &TensorSpec::mutated,  &TensorSpec::mutated_when};
  }
};

enum class ParamType : std::uint8_t { kBool, kInt, kFloat, kDType, kInts, kPair, kText };

struct ParamSpec {
  std::string name;
  std::vector<ParamType> types;  ///< alternatives of a union
  bool optional = false;         ///< none is legal
  ExprPtr default_value;         ///< null: required; may name earlier parameters
  SourceSpan span;
  static constexpr auto fields() {
    return std::tuple{&ParamSpec::name, &ParamSpec::types, &ParamSpec::optional,
                      &ParamSpec::default_value};
  }
};

enum class AxisKind : std::uint8_t { kStatic, kDynamic };

struct Accumulate {
  DType type = DType::kFloat32;
  std::int64_t promote_every = 0;  ///< fp8 products: terms before promotion; 0: never
  static constexpr auto fields() {
    return std::tuple{&Accumulate::type, &Accumulate::promote_every};
  }
};

enum class AcceptKind : std::uint8_t { kExact, kSet, kTies, kOrderFree, kUnspecified };
struct Accept {
  std::string output;
  AcceptKind kind = AcceptKind::kExact;
  std::string axis, key;  ///< set(axis), order_free(axis within key), ties(any)
  ExprPtr where;          ///< unspecified(where)
  SourceSpan span;
  static constexpr auto fields() {
    return std::tuple{&Accept::output, &Accept::kind, &Accept::axis, &Accept::key, &Accept::where};
  }
};

enum class LawKind : std::uint8_t {
  kFold,
  kInvariantTo,
  kPermute,
  kMerge,
  kEqualOps,
  kGradient,
};
struct Law {
  LawKind kind = LawKind::kInvariantTo;
  std::vector<std::pair<std::string, std::string>> arguments;  ///< by name, in the entry's order
  SourceSpan span;
  static constexpr auto fields() { return std::tuple{&Law::kind, &Law::arguments}; }
};

/// How values of one input of a workload are made, where they matter: a named generator.
struct InputRecipe {
  std::string input;
  std::string text;
  static constexpr auto fields() { return std::tuple{&InputRecipe::input, &InputRecipe::text}; }
};

struct Workload {
  std::string label;
  std::map<std::string, std::int64_t> axes;
  std::map<std::string, Ints> groups;  ///< by group name; "" is the leading `...`
  std::map<std::string, ParamValue> params;
  std::vector<DType> dtypes;  ///< of the first input whose dtype is free
  std::map<std::string, Ints> shapes;  ///< of inputs that broadcast, instead of the sizes'
  std::vector<InputRecipe> inputs;
  SourceSpan span;
  static constexpr auto fields() {
    return std::tuple{&Workload::label,  &Workload::axes,   &Workload::groups, &Workload::params,
                      &Workload::dtypes, &Workload::shapes, &Workload::inputs};
  }
};

struct Roofline {
  ExprPtr flops, bytes;  ///< null: counted from the definition
  std::string why;
  static constexpr auto fields() {
    return std::tuple{&Roofline::flops, &Roofline::bytes, &Roofline::why};
  }
};

struct OpSpec {
  std::string name, summary, family, since, ref_api, doc;
  std::vector<TensorSpec> inputs, outputs;
  std::vector<ParamSpec> params;
  std::vector<Let> lets;
  std::vector<Split> splits;
  std::vector<ExprPtr> rules, requires_data;  ///< `signature.rules`, `signature.requires`
  std::vector<std::map<std::string, DType>> dtype_combos;
  std::vector<Statement> definition;
  Accumulate accumulate;
  std::map<std::string, DTypeRule> may_round;  ///< local -> type
  std::vector<std::string> may_approximate;
  std::vector<Accept> accept;
  std::vector<Law> laws;
  std::map<std::string, AxisKind> axes;
  std::vector<Workload> workloads;
  Roofline roofline;
  std::string backward;
  std::vector<std::string> promises;
  std::map<std::string, std::vector<std::string>> kernel_map;  ///< backend -> kernels, in order
  SourceSpan span;
  static constexpr auto fields() {
    return std::tuple{&OpSpec::name,          &OpSpec::summary,      &OpSpec::family,
                      &OpSpec::since,         &OpSpec::ref_api,      &OpSpec::doc,
                      &OpSpec::inputs,        &OpSpec::outputs,      &OpSpec::params,
                      &OpSpec::lets,          &OpSpec::splits,       &OpSpec::rules,
                      &OpSpec::requires_data, &OpSpec::dtype_combos, &OpSpec::definition,
                      &OpSpec::accumulate,    &OpSpec::may_round,    &OpSpec::may_approximate,
                      &OpSpec::accept,        &OpSpec::laws,         &OpSpec::axes,
                      &OpSpec::workloads,     &OpSpec::roofline,     &OpSpec::backward,
                      &OpSpec::promises,      &OpSpec::kernel_map};
  }
};

/// The prelude: functions and compositions that every definition may use.
struct Prelude {
  std::vector<Helper> helpers;
  const Helper* find(std::string_view name) const;
  static constexpr auto fields() { return std::tuple{&Prelude::helpers}; }
};

/// A checked manifest. Operators are sorted by name.
struct Manifest {
  Prelude prelude;
  std::vector<OpSpec> operators;
  const OpSpec* find(std::string_view name) const;
  static constexpr auto fields() { return std::tuple{&Manifest::prelude, &Manifest::operators}; }
};

}  // namespace tileops::spec
