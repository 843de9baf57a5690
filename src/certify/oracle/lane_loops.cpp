// The rules of docs/tolerance.md, "Elementary operations", for lanes without special cases: those
// are left to elementary.cpp. Plain loops: Highway compiles them for each instruction set.
#include "certify/oracle/lane_loops.h"

#include <algorithm>
#include <cmath>

#include "certify/oracle/functions.h"
#include "tileops/error.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "certify/oracle/lane_loops.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace tileops::certify::oracle::HWY_NAMESPACE {

using spec::Op;

/// A value with the square of its RMS error, and whether it is ordinary.
struct Lane {
  double x, e2, b;
  bool ordinary = true;
};

struct Arg {
  double x, e, b;
  double error() const { return 6 * e + b; }
};

/// Reads an argument's lanes; exact blocks have no errors to read.
template <bool kExact>
struct Reader {
  explicit Reader(const Block& block) : x(block.x.data()), e(block.e.data()), b(block.b.data()) {}
  Arg operator[](std::size_t i) const {
    if constexpr (kExact) return {x[i], 0, 0};
    return {x[i], e[i], b[i]};
  }
  const double *x, *e, *b;
};

/// The operation's own rounding, and the range rules that need no branch.
template <class Values>
bool finish(Values values, double unit, const Rounding& rounding, std::size_t lanes, Block& out) {
  const double own = unit * unit / 3, smallest = rounding.smallest, most = rounding.half_range;
  double* HWY_RESTRICT x = out.x.data();
  double* HWY_RESTRICT e = out.e.data();
  double* HWY_RESTRICT b = out.b.data();
  std::size_t odd = 0;
#pragma omp simd reduction(+ : odd)
  for (std::size_t i = 0; i < lanes; ++i) {
    const Lane v = values(i);
    const double magnitude = std::abs(v.x);
    const bool flushes = (magnitude < smallest) & (magnitude > 0);
    x[i] = v.x;
    e[i] = std::sqrt(v.e2 + own * v.x * v.x);
    b[i] = v.b + (flushes ? smallest : 0.0);
    const bool fine = v.ordinary & (magnitude <= most) & (e[i] < kInfinity) & (b[i] < kInfinity);
    odd += fine ? 0 : 1;
  }
  out.exact = false;
  return odd == 0;
}

template <class F>
bool each(const Block& a, F f, double unit, const Rounding& rounding, std::size_t n, Block& out) {
  if (a.exact) {
    Reader<true> in(a);
    return finish([&](std::size_t i) { return f(in[i]); }, unit, rounding, n, out);
  }
  Reader<false> in(a);
  return finish([&](std::size_t i) { return f(in[i]); }, unit, rounding, n, out);
}

template <class F>
bool each(const Block& a,
          const Block& c,
          F f,
          double unit,
          const Rounding& rounding,
          std::size_t n,
          Block& out) {
  auto with = [&](auto left, auto right) {
    return finish([&](std::size_t i) { return f(left[i], right[i]); }, unit, rounding, n, out);
  };
  if (a.exact && c.exact) return with(Reader<true>(a), Reader<true>(c));
  if (a.exact) return with(Reader<true>(a), Reader<false>(c));
  if (c.exact) return with(Reader<false>(a), Reader<true>(c));
  return with(Reader<false>(a), Reader<false>(c));
}

double square(double x) {
  return x * x;
}

bool two(
    Op op, const Block& a, const Block& c, const Rounding& rounding, std::size_t n, Block& out) {
  switch (op) {
    case Op::kAdd:
      return each(
          a, c, [](Arg p, Arg q) { return Lane{p.x + q.x, p.e * p.e + q.e * q.e, p.b + q.b}; },
          rounding.unit, rounding, n, out);
    case Op::kSub:
      return each(
          a, c, [](Arg p, Arg q) { return Lane{p.x - q.x, p.e * p.e + q.e * q.e, p.b + q.b}; },
          rounding.unit, rounding, n, out);
    case Op::kMul:
      return each(
          a, c,
          [](Arg p, Arg q) {
            return Lane{p.x * q.x, square(q.x * p.e) + square(p.x * q.e),
                        std::abs(q.x) * p.b + std::abs(p.x) * q.b};
          },
          rounding.unit, rounding, n, out);
    case Op::kDiv:
      return each(
          a, c,
          [](Arg p, Arg q) {
            const double inverse = 1 / q.x, quotient = p.x / q.x;
            return Lane{quotient, square(p.e * inverse) + square(quotient * inverse * q.e),
                        std::abs(inverse) * p.b + std::abs(quotient * inverse) * q.b,
                        q.error() <= std::abs(q.x) / 16};
          },
          rounding.unit, rounding, n, out);
    default:
      return false;
  }
}

/// f: value and derivative of a function whose derivative tells its error.
template <class F>
bool smooth(const Block& a, F f, double unit, const Rounding& rounding, std::size_t n, Block& out) {
  return each(
      a,
      [f](Arg p) {
        double derivative = 0;
        const double x = f(p.x, derivative);
        return Lane{x, square(derivative * p.e), std::abs(derivative) * p.b};
      },
      unit, rounding, n, out);
}

bool one(Op op, const Block& a, const Rounding& rounding, std::size_t n, Block& out) {
  switch (op) {
    case Op::kSquare:
      return each(
          a,
          [](Arg p) {
            const double twice = 2 * std::abs(p.x);
            return Lane{p.x * p.x, square(twice * p.e), twice * p.b + p.b * p.b};
          },
          rounding.unit, rounding, n, out);
    case Op::kSqrt:
    case Op::kRsqrt: {
      const bool inverse = op == Op::kRsqrt;
      return each(
          a,
          [inverse](Arg p) {
            const double root = std::sqrt(p.x);
            const double x = inverse ? 1 / root : root;
            const double slope = inverse ? 0.5 * x / p.x : 0.5 / root;
            return Lane{x, square(slope * p.e), slope * p.b, p.x > 0 && p.error() <= p.x / 16};
          },
          rounding.function, rounding, n, out);
    }
    case Op::kExp:
      return smooth(
          a, [](double x, double& derivative) { return derivative = std::exp(x); },
          rounding.function, rounding, n, out);
    default:
      if (!is_function(op) || has_pole(op)) return false;
      return smooth(
          a,
          [op](double x, double& derivative) {
            const double value = function_value(op, x);
            derivative = function_derivative(op, x, value);
            return value;
          },
          rounding.function, rounding, n, out);
  }
}

/// Negation and magnitude: no rounding.
bool sign(Op op, const Block& a, std::size_t n, Block& out) {
  const double* HWY_RESTRICT from = a.x.data();
  double* HWY_RESTRICT x = out.x.data();
  if (op == Op::kNeg) {
    for (std::size_t i = 0; i < n; ++i) x[i] = -from[i];
  } else {
    for (std::size_t i = 0; i < n; ++i) x[i] = std::abs(from[i]);
  }
  out.exact = a.exact;
  if (a.exact) return true;
  std::copy_n(a.e.begin(), n, out.e.begin());
  std::copy_n(a.b.begin(), n, out.b.begin());
  return true;
}

/// Integers whose results float64 holds exactly, with room to spare.
template <class F>
bool whole(const Block& a, const Block& c, F f, std::size_t n, Block& out) {
  constexpr double kMost = 0x1p50;
  const double* HWY_RESTRICT left = a.x.data();
  const double* HWY_RESTRICT right = c.x.data();
  double* HWY_RESTRICT x = out.x.data();
  std::size_t odd = 0;
#pragma omp simd reduction(+ : odd)
  for (std::size_t i = 0; i < n; ++i) {
    x[i] = f(left[i], right[i]);
    const bool fine = (std::abs(left[i]) < kMost) & (std::abs(right[i]) < kMost) &
                      (std::abs(x[i]) < kMost);  // false for a division by zero
    odd += fine ? 0 : 1;
  }
  out.exact = true;
  return odd == 0;
}

bool integers(Op op, const Block& a, const Block& c, std::size_t n, Block& out) {
  switch (op) {
    case Op::kAdd:
      return whole(a, c, [](double p, double q) { return p + q; }, n, out);
    case Op::kSub:
      return whole(a, c, [](double p, double q) { return p - q; }, n, out);
    case Op::kMul:
      return whole(a, c, [](double p, double q) { return p * q; }, n, out);
    case Op::kDiv:
      return whole(a, c, [](double p, double q) { return std::floor(p / q); }, n, out);
    case Op::kMod:
      return whole(a, c, [](double p, double q) { return p - std::floor(p / q) * q; }, n, out);
    case Op::kMin:
      return whole(a, c, [](double p, double q) { return p < q ? p : q; }, n, out);
    case Op::kMax:
      return whole(a, c, [](double p, double q) { return p > q ? p : q; }, n, out);
    default:
      return false;
  }
}

bool apply_ordinary(const Node& node,
                    std::span<const Block* const> args,
                    const Rounding& rounding,
                    int lanes,
                    Block& out) {
  const auto n = static_cast<std::size_t>(lanes);
  if (args.size() > 2) return false;
  const Block &first = *args.front(), &last = *args.back();
  if (node.type == spec::Type::kInt) {
    return args.size() == 2 && first.exact && last.exact && integers(node.op, first, last, n, out);
  }
  if (args.size() == 2) return two(node.op, first, last, rounding, n, out);
  if (node.op == Op::kNeg || node.op == Op::kAbs) return sign(node.op, first, n, out);
  return one(node.op, first, rounding, n, out);
}

template <class F>
void compare_lanes(const Block& a, const Block& c, F f, std::size_t n, Block& out) {
  const double* HWY_RESTRICT left = a.x.data();
  const double* HWY_RESTRICT right = c.x.data();
  double* HWY_RESTRICT x = out.x.data();
  for (std::size_t i = 0; i < n; ++i) x[i] = f(left[i], right[i]) ? 1.0 : 0.0;
}

double error_at(const Block& block, std::size_t i) {
  return block.exact ? 0 : 6 * block.e[i] + block.b[i];
}

void compare(Op op, const Block& left, const Block& right, int lanes, Block& out) {
  const auto n = static_cast<std::size_t>(lanes);
  switch (op) {
    case Op::kEq:
      compare_lanes(left, right, [](double p, double q) { return p == q; }, n, out);
      break;
    case Op::kNe:
      compare_lanes(left, right, [](double p, double q) { return p != q; }, n, out);
      break;
    case Op::kLt:
      compare_lanes(left, right, [](double p, double q) { return p < q; }, n, out);
      break;
    case Op::kLe:
      compare_lanes(left, right, [](double p, double q) { return p <= q; }, n, out);
      break;
    case Op::kGt:
      compare_lanes(left, right, [](double p, double q) { return p > q; }, n, out);
      break;
    default:
      compare_lanes(left, right, [](double p, double q) { return p >= q; }, n, out);
  }
  out.exact = left.exact && right.exact;
  if (out.exact) return;
  for (std::size_t i = 0; i < n; ++i) {
    const double error = error_at(left, i) + error_at(right, i);
    const bool undecided = error > 0 && std::abs(left.x[i] - right.x[i]) <= error;
    out.e[i] = 0;
    out.b[i] = undecided ? 1 : 0;
  }
}

void combine(Op op, const Block& left, const Block& right, int lanes, Block& out) {
  const auto n = static_cast<std::size_t>(lanes);
  if (op == Op::kAnd) {
    compare_lanes(left, right, [](double p, double q) { return p != 0 && q != 0; }, n, out);
  } else {
    compare_lanes(left, right, [](double p, double q) { return p != 0 || q != 0; }, n, out);
  }
  out.exact = left.exact && right.exact;
  if (out.exact) return;
  const bool decides = op == Op::kOr;  // a side that is this, and decided, settles the result
  for (std::size_t i = 0; i < n; ++i) {
    const bool left_open = !left.exact && left.b[i] > 0,
               right_open = !right.exact && right.b[i] > 0;
    const bool settled = (!left_open && (left.x[i] != 0) == decides) ||
                         (!right_open && (right.x[i] != 0) == decides);
    out.e[i] = 0;
    out.b[i] = !settled && (left_open || right_open) ? 1 : 0;
  }
}

void select(
    const Block& condition, const Block& then, const Block& otherwise, int lanes, Block& out) {
  const auto n = static_cast<std::size_t>(lanes);
  for (std::size_t i = 0; i < n; ++i) out.x[i] = condition.x[i] != 0 ? then.x[i] : otherwise.x[i];
  out.exact = condition.exact && then.exact && otherwise.exact;
  if (out.exact) return;
  for (std::size_t i = 0; i < n; ++i) {
    const bool first = condition.x[i] != 0;
    const Block &chosen = first ? then : otherwise, &other = first ? otherwise : then;
    double e = chosen.exact ? 0 : chosen.e[i], b = chosen.exact ? 0 : chosen.b[i];
    if (!condition.exact && condition.b[i] > 0) {
      const double reach = std::abs(chosen.x[i] - other.x[i]) + (other.exact ? 0 : other.b[i]);
      e = std::max(e, other.exact ? 0 : other.e[i]);
      b = std::isnan(reach) ? kInfinity : std::max(b, reach);
    }
    out.e[i] = e;
    out.b[i] = b;
  }
}

template <bool kExact>
void add_terms_of(const Block& terms, const double* kept, std::size_t n, const TermSums& to) {
  const Reader<kExact> in(terms);
#pragma omp simd
  for (std::size_t i = 0; i < n; ++i) {
    const bool counts = kept == nullptr || kept[i] != 0;
    const Arg t = in[i];
    const double x = counts ? t.x : 0, e = counts ? t.e : 0, b = counts ? t.b : 0;
    const double magnitude = std::abs(x);
    to.s[i] += x;
    const double prefix = std::abs(to.s[i]);
    to.largest_prefix[i] = to.largest_prefix[i] < prefix ? prefix : to.largest_prefix[i];
    to.squares[i] += x * x;
    to.magnitudes[i] += magnitude < kInfinity ? magnitude : 0;
    to.e2[i] += e * e;
    to.b[i] += b;
    to.count[i] += counts ? 1 : 0;
  }
}

void add_terms(const Block& terms, const double* kept, int lanes, const TermSums& sums) {
  const auto n = static_cast<std::size_t>(lanes);
  if (terms.exact) return add_terms_of<true>(terms, kept, n, sums);
  add_terms_of<false>(terms, kept, n, sums);
}

/// `sign`: 1 for the largest, -1 for the smallest.
template <bool kExact>
void take_extremes_of(
    const Block& terms, const double* kept, double sign, std::size_t n, const Extremes& to) {
  const Reader<kExact> in(terms);
#pragma omp simd
  for (std::size_t i = 0; i < n; ++i) {
    const bool counts = kept == nullptr || kept[i] != 0;
    const Arg t = in[i];
    const double best = to.best[i], e = to.e[i], b = to.b[i];
    const bool first = to.count[i] == 0, is_nan = t.x != t.x, is_open = best == best;
    const bool better = first | (is_open & (is_nan | (sign * t.x > sign * best)));
    const double margin = 6 * (t.e + e) + t.b + b;
    const bool close =  // false where either is nan
        (to.count[i] > 0) & (margin > 0) & (std::abs(t.x - best) <= margin);
    const double most_e = t.e > e ? t.e : e, most_b = t.b > b ? t.b : b;
    const double new_e = close ? most_e : better ? t.e : e;
    const double new_b = close ? most_b : better ? t.b : b;
    to.best[i] = counts & better ? t.x : best;
    to.e[i] = counts ? new_e : e;
    to.b[i] = counts ? new_b : b;
    to.count[i] += counts ? 1 : 0;
  }
}

void take_extremes(
    const Block& terms, const double* kept, bool largest, int lanes, const Extremes& extremes) {
  const auto n = static_cast<std::size_t>(lanes);
  const double sign = largest ? 1 : -1;
  if (terms.exact) return take_extremes_of<true>(terms, kept, sign, n, extremes);
  take_extremes_of<false>(terms, kept, sign, n, extremes);
}

}  // namespace tileops::certify::oracle::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tileops::certify::oracle {
HWY_EXPORT(apply_ordinary);
HWY_EXPORT(compare);
HWY_EXPORT(combine);
HWY_EXPORT(select);
HWY_EXPORT(add_terms);
HWY_EXPORT(take_extremes);

bool apply_ordinary(const Node& node,
                    std::span<const Block* const> args,
                    const Rounding& rounding,
                    int lanes,
                    Block& out) {
  return HWY_DYNAMIC_DISPATCH(apply_ordinary)(node, args, rounding, lanes, out);
}
void compare(spec::Op op, const Block& left, const Block& right, int lanes, Block& out) {
  HWY_DYNAMIC_DISPATCH(compare)(op, left, right, lanes, out);
}
void combine(spec::Op op, const Block& left, const Block& right, int lanes, Block& out) {
  HWY_DYNAMIC_DISPATCH(combine)(op, left, right, lanes, out);
}
void select(
    const Block& condition, const Block& then, const Block& otherwise, int lanes, Block& out) {
  HWY_DYNAMIC_DISPATCH(select)(condition, then, otherwise, lanes, out);
}

void add_terms(const Block& terms, const double* kept, int lanes, const TermSums& sums) {
  HWY_DYNAMIC_DISPATCH(add_terms)(terms, kept, lanes, sums);
}
void take_extremes(
    const Block& terms, const double* kept, bool largest, int lanes, const Extremes& extremes) {
  HWY_DYNAMIC_DISPATCH(take_extremes)(terms, kept, largest, lanes, extremes);
}

}  // namespace tileops::certify::oracle
#endif
