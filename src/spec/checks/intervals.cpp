// Interval arithmetic on integers; conditions on the very expression narrow it.
#include "spec/checks/intervals.h"

#include <algorithm>

#include "spec/evaluate_op.h"
#include "spec/structure.h"

namespace tileops::spec {
namespace {

using Maybe = std::optional<Interval>;

Maybe product(const Interval& a, const Interval& b) {
  std::int64_t corners[4];
  std::size_t n = 0;
  for (std::int64_t x : {a.lo, a.hi}) {
    for (std::int64_t y : {b.lo, b.hi}) {
      if (__builtin_mul_overflow(x, y, &corners[n++])) return std::nullopt;
    }
  }
  return Interval{*std::min_element(corners, corners + 4), *std::max_element(corners, corners + 4)};
}

Maybe sum(const Interval& a, const Interval& b, std::int64_t sign) {
  Interval out;
  std::int64_t low = sign > 0 ? b.lo : -b.hi, high = sign > 0 ? b.hi : -b.lo;
  bool overflow = __builtin_add_overflow(a.lo, low, &out.lo);
  overflow |= __builtin_add_overflow(a.hi, high, &out.hi);
  return overflow ? std::nullopt : Maybe(out);
}

Maybe combined(const Apply& x, const std::vector<Interval>& v) {
  switch (x.op) {
    case Op::kAdd:
      return sum(v[0], v[1], 1);
    case Op::kSub:
      return sum(v[0], v[1], -1);
    case Op::kNeg:
      return sum({0, 0}, v[0], -1);
    case Op::kMul:
      return product(v[0], v[1]);
    case Op::kDiv:
      if (v[1].lo <= 0) return std::nullopt;
      return Interval{floor_div(v[0].lo, v[0].lo < 0 ? v[1].lo : v[1].hi),
                      floor_div(v[0].hi, v[0].hi < 0 ? v[1].hi : v[1].lo)};
    case Op::kMod:
      if (v[1].lo <= 0) return std::nullopt;
      if (v[0].lo >= 0 && v[0].hi < v[1].lo) return v[0];
      return Interval{0, v[1].hi - 1};
    case Op::kMin:
      return Interval{std::min(v[0].lo, v[1].lo), std::min(v[0].hi, v[1].hi)};
    case Op::kMax:
      return Interval{std::max(v[0].lo, v[1].lo), std::max(v[0].hi, v[1].hi)};
    case Op::kClamp: {
      Interval low{std::max(v[0].lo, v[1].lo), std::max(v[0].hi, v[1].hi)};
      return Interval{std::min(low.lo, v[2].lo), std::min(low.hi, v[2].hi)};
    }
    case Op::kCeilDiv:
      if (v[1].lo <= 0) return std::nullopt;
      return Interval{floor_div(v[0].lo, v[1].hi), floor_div(v[0].hi, v[1].lo) + 1};
    case Op::kBitAnd:
      if (v[1].lo != v[1].hi || v[1].lo < 0) return std::nullopt;
      return Interval{0, v[1].hi};
    case Op::kShiftRight:
      if (v[1].lo < 0 || v[1].hi > 62 || v[0].lo < 0) return std::nullopt;
      return Interval{v[0].lo >> v[1].hi, v[0].hi >> v[1].lo};
    default:
      return std::nullopt;
  }
}

Maybe plain(const ExprPtr& expr, const Facts& facts) {
  if (const auto* x = get_if<IntLit>(expr)) return Interval{x->value, x->value};
  if (const auto* x = get_if<Name>(expr)) {
    auto at = facts.indices.find(x->name);
    return at == facts.indices.end() ? std::nullopt : Maybe(at->second);
  }
  if (const auto* x = get_if<Access>(expr)) {
    auto at = facts.elements.find(x->tensor);
    return at == facts.elements.end() ? std::nullopt : Maybe(at->second);
  }
  if (const auto* x = get_if<Select>(expr)) {
    Maybe a = interval_of(x->then, facts), b = interval_of(x->otherwise, facts);
    if (!a || !b) return std::nullopt;
    return Interval{std::min(a->lo, b->lo), std::max(a->hi, b->hi)};
  }
  const auto* x = get_if<Apply>(expr);
  if (!x) return std::nullopt;
  std::vector<Interval> values;
  for (const ExprPtr& arg : x->args) {
    Maybe value = interval_of(arg, facts);
    if (!value) return std::nullopt;
    values.push_back(*value);
  }
  return combined(*x, values);
}

/// `e < f` bounds e from above by f, and so on.
void narrow(const ExprPtr& expr,
            const Facts& facts,
            std::optional<std::int64_t>& lo,
            std::optional<std::int64_t>& hi) {
  for (const ExprPtr& condition : facts.conditions) {
    const auto* x = get_if<Apply>(condition);
    if (!x || x->op < Op::kLt || x->op > Op::kGe) continue;
    bool less = x->op == Op::kLt || x->op == Op::kLe;
    std::int64_t strict = x->op == Op::kLt || x->op == Op::kGt ? 1 : 0;
    const ExprPtr &small = x->args[less ? 0 : 1], &large = x->args[less ? 1 : 0];
    if (equal(small, expr)) {
      if (Maybe bound = plain(large, facts))
        hi = std::min(hi.value_or(bound->hi), bound->hi - strict);
    }
    if (equal(large, expr)) {
      if (Maybe bound = plain(small, facts))
        lo = std::max(lo.value_or(bound->lo), bound->lo + strict);
    }
  }
}

}  // namespace

std::optional<Interval> interval_of(const ExprPtr& expr, const Facts& facts) {
  Maybe found = plain(expr, facts);
  std::optional<std::int64_t> lo, hi;
  if (found) lo = found->lo, hi = found->hi;
  narrow(expr, facts, lo, hi);
  if (!lo || !hi) return std::nullopt;
  return Interval{*lo, *hi};
}

}  // namespace tileops::spec
