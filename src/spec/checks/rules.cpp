// A rule that no sizes and parameters satisfy forbids every call.
#include <random>

#include "spec/checks/samples.h"
#include "spec/evaluate.h"
#include "spec/print_expr.h"
#include "tileops/error.h"

namespace tileops::spec {
namespace {

constexpr int kTries = 400;
constexpr std::int64_t kSizes[] = {0, 1, 2, 3, 4, 5, 7, 8, 16, 31, 64, 100, 128, 256, 1000, 4096};

std::int64_t pick(std::mt19937& random) {
  return kSizes[random() % (sizeof kSizes / sizeof *kSizes)];
}

/// A value of the parameter's type, or its default.
ParamValue pick_param(const ParamSpec& param, std::mt19937& random) {
  if (param.optional && random() % 4 == 0) return {};
  switch (param.types.empty() ? ParamType::kText : param.types[random() % param.types.size()]) {
    case ParamType::kBool:
      return random() % 2 == 0;
    case ParamType::kInt:
      return pick(random) - (random() % 4 == 0 ? 2 : 0);
    case ParamType::kFloat:
      return static_cast<double>(pick(random)) / 16 - (random() % 4 == 0 ? 1 : 0);
    case ParamType::kDType:
      return static_cast<DType>(random() % kDTypeCount);
    case ParamType::kInts: {
      Ints list(random() % 4);
      for (std::int64_t& item : list) item = pick(random);
      return list;
    }
    case ParamType::kPair:
      return Ints{pick(random), pick(random)};
    case ParamType::kText:
      return std::string();
  }
  return {};
}

bool holds(const ExprPtr& rule, const Scope& scope) {
  try {
    return evaluate_bool(rule, scope);
  } catch (const Error&) {
    return false;
  }
}

/// At the workloads' sizes, then at random ones.
bool can_hold(const CheckContext& context, const ExprPtr& rule) {
  const OpSpec& op = context.op;
  std::vector<TensorView> inputs(op.inputs.size());
  for (TensorView& input : inputs) input.rank = 0;
  for (const SampleSizes& sample : sample_sizes(op)) {
    try {
      WorkloadCall call = sized_call(op, sample.sizes, sample.params, sample.dtype);
      if (holds(rule, Scope(op, {call.inputs, call.params}, sample.sizes))) return true;
    } catch (const Error&) {
      continue;
    }
  }
  std::mt19937 random(1);
  for (int i = 0; i < kTries; ++i) {
    std::vector<ParamValue> params;
    for (const ParamSpec& param : op.params) params.push_back(pick_param(param, random));
    Scope scope(op, params, inputs);
    for (const auto& [name, symbol] : context.symbols) {
      if (symbol.kind == SymbolKind::kAxis) scope.set(name, pick(random));
    }
    for (const std::string& group : context.groups) {
      Ints sizes(1 + random() % 3);
      for (std::int64_t& size : sizes) size = pick(random);
      scope.set_group(group, sizes);
    }
    // `C... == normalized_shape`: equal lists are too rare to be met by chance.
    if (const auto* apply = get_if<Apply>(rule); apply && apply->op == Op::kEq) {
      const auto* group = get_if<GroupRef>(apply->args[0]);
      const auto* name = get_if<Name>(apply->args[1]);
      if (group && name && context.find(name->name))
        scope.set(name->name, *scope.group(group->name));
    }
    if (holds(rule, scope)) return true;
  }
  return false;
}

}  // namespace

void check_rules(const CheckContext& context) {
  for (const ExprPtr& rule : context.op.rules) {
    if (can_hold(context, rule)) continue;
    context.problem(rule->span, "signature.rules", "a rule that can never hold: " + print(rule),
                    "a condition that some call satisfies", {}, "correct the rule, or remove it");
  }
}

}  // namespace tileops::spec
