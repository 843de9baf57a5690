// The tables of spellings. Order follows the enums of ast.h.
#include "spec/names.h"

#include <array>

namespace tileops::spec {
namespace {

struct OpRow {
  Op op;
  std::string_view name;
  Arity arity;
  bool function;
};

constexpr OpRow sign(Op op, std::string_view name, int n) {
  return {op, name, {n, n}, false};
}
constexpr OpRow function(Op op, std::string_view name, int least = 1, int most = 0) {
  return {op, name, {least, most ? most : least}, true};
}

constexpr std::array kOps = {
    sign(Op::kAdd, "+", 2),
    sign(Op::kSub, "-", 2),
    sign(Op::kMul, "*", 2),
    sign(Op::kDiv, "/", 2),
    sign(Op::kMod, "%", 2),
    sign(Op::kPow, "^", 2),
    sign(Op::kNeg, "-", 1),
    sign(Op::kEq, "==", 2),
    sign(Op::kNe, "!=", 2),
    sign(Op::kLt, "<", 2),
    sign(Op::kLe, "<=", 2),
    sign(Op::kGt, ">", 2),
    sign(Op::kGe, ">=", 2),
    sign(Op::kAnd, "and", 2),
    sign(Op::kOr, "or", 2),
    sign(Op::kNot, "not", 1),
    function(Op::kMin, "min", 2),
    function(Op::kMax, "max", 2),
    function(Op::kAbs, "abs"),
    function(Op::kSign, "sign"),
    function(Op::kFloor, "floor"),
    function(Op::kCeil, "ceil"),
    function(Op::kRound, "round"),
    function(Op::kTrunc, "trunc"),
    function(Op::kClamp, "clamp", 3),
    function(Op::kSquare, "square"),
    function(Op::kSqrt, "sqrt"),
    function(Op::kRsqrt, "rsqrt"),
    function(Op::kExp, "exp"),
    function(Op::kExp2, "exp2"),
    function(Op::kExpm1, "expm1"),
    function(Op::kLog, "log"),
    function(Op::kLog2, "log2"),
    function(Op::kLog1p, "log1p"),
    function(Op::kSin, "sin"),
    function(Op::kCos, "cos"),
    function(Op::kTan, "tan"),
    function(Op::kAsin, "asin"),
    function(Op::kAcos, "acos"),
    function(Op::kAtan, "atan"),
    function(Op::kAtan2, "atan2", 2),
    function(Op::kSinh, "sinh"),
    function(Op::kCosh, "cosh"),
    function(Op::kTanh, "tanh"),
    function(Op::kErf, "erf"),
    function(Op::kLgamma, "lgamma"),
    function(Op::kIsNan, "is_nan"),
    function(Op::kIsInf, "is_inf"),
    function(Op::kIsFinite, "is_finite"),
    function(Op::kCeilDiv, "ceil_div", 2),
    function(Op::kBitAnd, "bit_and", 2),
    function(Op::kBitOr, "bit_or", 2),
    function(Op::kBitXor, "bit_xor", 2),
    function(Op::kBitNot, "bit_not"),
    function(Op::kShiftLeft, "shift_left", 2),
    function(Op::kShiftRight, "shift_right", 2),
    function(Op::kComplex, "complex", 2),
    function(Op::kReal, "real"),
    function(Op::kImag, "imag"),
    function(Op::kConj, "conj"),
    function(Op::kPhilox, "philox", 3),
};

const OpRow& row(Op op) {
  return kOps[static_cast<std::size_t>(op)];
}

template <class Enum, std::size_t N>
std::optional<Enum> find(const std::array<std::string_view, N>& names, std::string_view name) {
  for (std::size_t i = 0; i < N; ++i) {
    if (!names[i].empty() && names[i] == name) return static_cast<Enum>(i);
  }
  return std::nullopt;
}

constexpr std::array<std::string_view, 11> kReductions = {
    "sum", "prod", "max", "min", "mean", "any", "all", "count", "argmax", "argmin", "first"};
constexpr std::array<std::string_view, 4> kTies = {"", "first", "last", "any"};
constexpr std::array<std::string_view, 5> kNanRules = {"", "first", "last", "propagate", "ignore"};
constexpr std::array<std::string_view, 10> kTypes = {"unknown", "bool", "int",   "float", "complex",
                                                     "dtype",   "ints", "shape", "text",  "none"};

}  // namespace

std::string_view op_name(Op op) {
  return row(op).name;
}
Arity op_arity(Op op) {
  return row(op).arity;
}

std::optional<Op> function_op(std::string_view name) {
  for (const OpRow& candidate : kOps) {
    if (candidate.function && candidate.name == name) return candidate.op;
  }
  return std::nullopt;
}

std::string_view reduce_name(ReduceOp op) {
  return op == ReduceOp::kNth ? "nth" : kReductions[static_cast<std::size_t>(op)];
}
std::optional<ReduceOp> parse_reduce(std::string_view name) {
  return find<ReduceOp>(kReductions, name);
}
std::optional<Type> call_function_type(std::string_view function) {
  if (function == "len" || function == "rank" || function == "numel") return Type::kInt;
  if (function == "shape") return Type::kInts;
  if (function == "dtype") return Type::kDType;
  if (function == "is_floating") return Type::kBool;
  return std::nullopt;
}

std::string_view ties_name(Ties ties) {
  return kTies[static_cast<std::size_t>(ties)];
}
std::optional<Ties> parse_ties(std::string_view name) {
  return find<Ties>(kTies, name);
}
std::string_view nan_rule_name(NanRule rule) {
  return kNanRules[static_cast<std::size_t>(rule)];
}
std::optional<NanRule> parse_nan_rule(std::string_view name) {
  return find<NanRule>(kNanRules, name);
}
std::string_view type_name(Type type) {
  return kTypes[static_cast<std::size_t>(type)];
}

}  // namespace tileops::spec
