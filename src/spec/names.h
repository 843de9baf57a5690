// The spelling of operators and reductions: one table each for the parser and the printer.
#pragma once

#include <optional>
#include <string_view>

#include "spec/ast.h"

namespace tileops::spec {

/// How an operator is written: its sign or the name of its function.
std::string_view op_name(Op op);
std::optional<Op> function_op(std::string_view name);  ///< functions only, not signs
/// Number of arguments that a function takes: least and most.
struct Arity {
  int least = 1, most = 1;
};
Arity op_arity(Op op);

std::string_view reduce_name(ReduceOp op);
std::optional<ReduceOp> parse_reduce(std::string_view name);  ///< not kNth, kNamed

/// Functions of a whole tensor, list or parameter, with the type of what they say: len, rank, numel,
/// shape, dtype, is_floating.
std::optional<Type> call_function_type(std::string_view function);

std::string_view ties_name(Ties ties);
std::optional<Ties> parse_ties(std::string_view name);
std::string_view nan_rule_name(NanRule rule);
std::optional<NanRule> parse_nan_rule(std::string_view name);
std::string_view type_name(Type type);

}  // namespace tileops::spec
