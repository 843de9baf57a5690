// The definition language as immutable nodes. One language serves shapes, rules, rooflines and
// definitions. Knows nothing of YAML, text positions beyond spans, C++ types or devices.
//
// Meaning. Integers are exact and wrap only when stored in their declared type; `/` and `%` on
// integers are floor division and its remainder; floats are real numbers (an oracle evaluates them
// in float64, a kernel in `accumulate`). A lower-case index names one element of an axis, `c...`
// one index for each axis of a group. Conditions of chains are all required. A reduction over no
// elements is `otherwise`, or its neutral element (sum 0, prod 1, any false, all true, count 0,
// max -inf, min inf, mean nan); argmax and argmin of nothing need `otherwise`.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <tuple>
#include <variant>
#include <vector>

#include "spec/source_span.h"
#include "tileops/dtype.h"

namespace tileops::spec {

struct Expr;
using ExprPtr = std::shared_ptr<const Expr>;

// clang-format off: lists by kind, several a line.
/// What an expression yields; filled in by the checker.
enum class Type : std::uint8_t {
  kUnknown, kBool, kInt, kFloat, kComplex, kDType, kInts, kShape, kText, kNone,
};

/// Operators and built-in functions of one element. Names in parentheses are the spelling.
enum class Op : std::uint8_t {
  // arithmetic: + - * / % ^ unary minus; `/` and `%` floor on integers
  kAdd, kSub, kMul, kDiv, kMod, kPow, kNeg,
  // comparison and logic: == != < <= > >= and or not
  kEq, kNe, kLt, kLe, kGt, kGe, kAnd, kOr, kNot,
  // functions, spelled as here without the k, in snake_case
  kMin, kMax, kAbs, kSign, kFloor, kCeil, kRound, kTrunc, kClamp, kSquare, kSqrt, kRsqrt, kExp,
  kExp2, kExpm1, kLog, kLog2, kLog1p, kSin, kCos, kTan, kAsin, kAcos, kAtan, kAtan2, kSinh, kCosh,
  kTanh, kErf, kLgamma, kIsNan, kIsInf, kIsFinite, kCeilDiv,
  // bits
  kBitAnd, kBitOr, kBitXor, kBitNot, kShiftLeft, kShiftRight,
  // complex numbers
  kComplex, kReal, kImag, kConj,
  // random: philox(seed, offset, index) -> uniform in [0, 1)
  kPhilox,
};

enum class ReduceOp : std::uint8_t {
  kSum, kProd, kMax, kMin, kMean, kAny, kAll, kCount, kArgmax, kArgmin,
  kFirst,  ///< the smallest index whose body is true
  kNth,    ///< the index at a rank of a stable order: nth(r, j in ...: by score)
  kNamed,  ///< a composition of the prelude, such as softmax
};

// clang-format on

enum class Ties : std::uint8_t { kUnset, kFirst, kLast, kAny };
enum class NanRule : std::uint8_t { kUnset, kFirst, kLast, kPropagate, kIgnore };
enum class Direction : std::uint8_t { kAscending, kDescending };

/// `j`, `j in lo..hi` (hi excluded), or a group `c...`. The checker fills lo and hi.
struct Binder {
  std::string name;
  bool group = false;
  ExprPtr lo;  ///< null: 0
  ExprPtr hi;  ///< null until checked; for groups a GroupRef
  SourceSpan span;
  static constexpr auto fields() {
    return std::tuple{&Binder::name, &Binder::group, &Binder::lo, &Binder::hi};
  }
};

/// One place between the brackets of an access or shape: an expression, `c...`, or `...`.
struct Subscript {
  enum class Kind : std::uint8_t { kExpr, kGroup, kEllipsis };
  Kind kind = Kind::kExpr;
  ExprPtr expr;       ///< kExpr
  std::string group;  ///< kGroup: "c"
  SourceSpan span;
  static constexpr auto fields() {
    return std::tuple{&Subscript::kind, &Subscript::expr, &Subscript::group};
  }
};

struct NoneLit {
  static constexpr auto fields() { return std::tuple{}; }
};
struct BoolLit {
  bool value = false;
  static constexpr auto fields() { return std::tuple{&BoolLit::value}; }
};
struct IntLit {
  std::int64_t value = 0;
  static constexpr auto fields() { return std::tuple{&IntLit::value}; }
};
struct FloatLit {  ///< also `inf` and `nan`
  double value = 0;
  static constexpr auto fields() { return std::tuple{&FloatLit::value}; }
};
struct DTypeLit {
  DType value = DType::kFloat32;
  static constexpr auto fields() { return std::tuple{&DTypeLit::value}; }
};
struct TextLit {
  std::string value;
  static constexpr auto fields() { return std::tuple{&TextLit::value}; }
};
/// An index, axis, parameter, let, or tensor of rank 0.
struct Name {
  std::string name;
  static constexpr auto fields() { return std::tuple{&Name::name}; }
};
/// The sizes of an axis group as ints: `C...`; `...` has the name "".
struct GroupRef {
  std::string name;
  static constexpr auto fields() { return std::tuple{&GroupRef::name}; }
};
/// A shape: `[M, 2 * N]`, `[..., C...]`.
struct ShapeLit {
  std::vector<Subscript> dims;
  static constexpr auto fields() { return std::tuple{&ShapeLit::dims}; }
};
/// An element of a tensor, or of a parameter of type ints: `x[m, k]`, `state'[c]`.
struct Access {
  std::string tensor;
  bool primed = false;  ///< the new value of a mutated input
  std::vector<Subscript> subscripts;
  static constexpr auto fields() {
    return std::tuple{&Access::tensor, &Access::primed, &Access::subscripts};
  }
};
struct Apply {
  Op op = Op::kAdd;
  std::vector<ExprPtr> args;
  static constexpr auto fields() { return std::tuple{&Apply::op, &Apply::args}; }
};
struct Select {  ///< condition ? then : otherwise; only the chosen branch is meant
  ExprPtr condition, then, otherwise;
  static constexpr auto fields() {
    return std::tuple{&Select::condition, &Select::then, &Select::otherwise};
  }
};
struct Coalesce {  ///< value ?? fallback: fallback where value is none
  ExprPtr value, fallback;
  static constexpr auto fields() { return std::tuple{&Coalesce::value, &Coalesce::fallback}; }
};
struct Given {  ///< `weight is given`
  std::string name;
  static constexpr auto fields() { return std::tuple{&Given::name}; }
};
/// A helper, a prelude function of one element, or a function of the checker (rank, dtype, numel).
struct Call {
  std::string function;
  std::vector<ExprPtr> args;
  static constexpr auto fields() { return std::tuple{&Call::function, &Call::args}; }
};
/// Rounding to a storage type where it is part of the contract: round_to(float16, x).
struct RoundTo {
  ExprPtr dtype;  ///< of type kDType: a literal, a parameter, dtype(x)
  bool saturate = false;
  ExprPtr value;
  static constexpr auto fields() {
    return std::tuple{&RoundTo::dtype, &RoundTo::saturate, &RoundTo::value};
  }
};
/// `sum(k | keep: body)`, `argmax(j: body, ties first, nan last)`, `softmax(j | keep: s) else 0`.
struct Reduce {
  ReduceOp op = ReduceOp::kSum;
  std::string name;  ///< kNamed: the composition
  std::vector<Binder> binders;
  ExprPtr filter;                               ///< null: everything
  ExprPtr body;                                 ///< count, first: the condition
  ExprPtr rank;                                 ///< kNth
  Direction direction = Direction::kAscending;  ///< kNth
  Ties ties = Ties::kUnset;
  NanRule nan = NanRule::kUnset;
  ExprPtr otherwise;  ///< value over no elements; null: the neutral element
  static constexpr auto fields() {
    return std::tuple{&Reduce::op,   &Reduce::name,     &Reduce::binders,   &Reduce::filter,
                      &Reduce::body, &Reduce::rank,     &Reduce::direction, &Reduce::ties,
                      &Reduce::nan,  &Reduce::otherwise};
  }
};

using Node = std::variant<NoneLit,
                          BoolLit,
                          IntLit,
                          FloatLit,
                          DTypeLit,
                          TextLit,
                          Name,
                          GroupRef,
                          ShapeLit,
                          Access,
                          Apply,
                          Select,
                          Coalesce,
                          Given,
                          Call,
                          RoundTo,
                          Reduce>;

struct Expr {
  Node node;
  Type type = Type::kUnknown;
  SourceSpan span;
  static constexpr auto fields() { return std::tuple{&Expr::node, &Expr::type}; }
};

template <class T>
const T* get_if(const ExprPtr& e) {
  return e ? std::get_if<T>(&e->node) : nullptr;
}
inline ExprPtr make_expr(Node node, Type type = Type::kUnknown, SourceSpan span = {}) {
  return std::make_shared<const Expr>(Expr{std::move(node), type, std::move(span)});
}

/// `y[..., c] = value else e for cond when cond from y[-1] = start`: every element of the target.
struct Define {
  Access target;
  std::vector<Binder> indices;  ///< one for each target subscript; the checker fills the ranges
  ExprPtr value;
  ExprPtr otherwise;       ///< else: where `domain` is false
  ExprPtr domain;          ///< for: elements that are defined
  ExprPtr when;            ///< a condition on parameters; false: the statement is absent
  std::string recurrence;  ///< from: the index that runs in order; empty: no recurrence
  ExprPtr start;           ///< from: the value before the first step
  SourceSpan span;
  static constexpr auto fields() {
    return std::tuple{&Define::target, &Define::indices, &Define::value,      &Define::otherwise,
                      &Define::domain, &Define::when,    &Define::recurrence, &Define::start};
  }
};
/// `out[slot(f)] <- value default d`: writes at computed places; untouched places hold `fallback`.
struct Scatter {
  Access target;
  std::vector<Binder> indices;  ///< the free indices of the places
  ExprPtr value;
  ExprPtr fallback;
  ExprPtr domain;
  ExprPtr when;
  SourceSpan span;
  static constexpr auto fields() {
    return std::tuple{&Scatter::target,   &Scatter::indices, &Scatter::value,
                      &Scatter::fallback, &Scatter::domain,  &Scatter::when};
  }
};
/// `visible(i, j) := j <= i + delta`; in the prelude also `softmax(j | keep: s) := ...`.
struct Helper {
  std::string name;
  std::vector<std::string> params;  ///< of a composition: binder, filter and body names
  bool composition = false;
  ExprPtr body;
  SourceSpan span;
  static constexpr auto fields() {
    return std::tuple{&Helper::name, &Helper::params, &Helper::composition, &Helper::body};
  }
};
/// `delta := S_kv - S_q`: one value a call.
struct Let {
  std::string name;
  ExprPtr value;
  SourceSpan span;
  static constexpr auto fields() { return std::tuple{&Let::name, &Let::value}; }
};
/// `split S... by dim ?? all -> K..., D..., U...`: kept axes and chosen ones, in order; and, where a
/// third name stands, S with the chosen axes of size 1 (what `keepdim` gives).
struct Split {
  std::string group;
  ExprPtr by;  ///< axes as ints (negative count from the end), or none for all
  std::string kept, chosen, unit;  ///< unit may be empty
  SourceSpan span;
  static constexpr auto fields() {
    return std::tuple{&Split::group, &Split::by, &Split::kept, &Split::chosen,
                      &Split::unit};
  }
};

using Statement = std::variant<Define, Scatter, Helper, Let, Split>;

}  // namespace tileops::spec
