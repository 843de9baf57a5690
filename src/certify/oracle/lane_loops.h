// Operators over whole blocks, in loops that the compiler vectorises for each instruction set.
#pragma once

#include <span>

#include "certify/oracle/block.h"
#include "certify/oracle/elementary.h"

namespace tileops::certify::oracle {

/// out = op(args) where every lane is ordinary: no overflow, nan, pole, undecided integer. False
/// where one is not, or the operator is a rare one; `out` is then unspecified.
bool apply_ordinary(const Node& node,
                    std::span<const Block* const> args,
                    const Rounding& rounding,
                    int lanes,
                    Block& out);

/// Comparisons: 0 or 1, undecided where both sides' errors overlap.
void compare(spec::Op op, const Block& left, const Block& right, int lanes, Block& out);
/// and, or: undecided where a side is and the other does not settle it.
void combine(spec::Op op, const Block& left, const Block& right, int lanes, Block& out);
/// condition ? then : otherwise, the hull of both where the condition is undecided.
void select(
    const Block& condition, const Block& then, const Block& otherwise, int lanes, Block& out);

/// One term a lane into sums, or into extremes with the errors of all that come close. `kept`: 0
/// where a lane's term is left out; null: nowhere.
struct TermSums {
  double *s, *largest_prefix, *squares, *magnitudes, *e2, *b, *count;
};
void add_terms(const Block& terms, const double* kept, int lanes, const TermSums& sums);
struct Extremes {
  double *best, *e, *b, *count;
};
void take_extremes(
    const Block& terms, const double* kept, bool largest, int lanes, const Extremes& extremes);

}  // namespace tileops::certify::oracle
