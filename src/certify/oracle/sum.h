// What a reduction accumulates over its terms, for up to 256 lanes at once, and the rules that turn
// it into a value with its error (docs/tolerance.md, "Sums").
#pragma once

#include <vector>

#include "certify/oracle/block.h"
#include "certify/oracle/elementary.h"

namespace tileops::certify::oracle {

/// An invariant part of the terms: its value with errors, and the sum's derivative by it.
struct Sensitivity {
  int node = -1;
  Block value;
  std::array<double, kLanes> derivative{};
};

class Accumulator {
 public:
  Accumulator(const Node& node, int lanes, Rounding rounding);

  int lanes() const { return lanes_; }
  /// One term a lane; `filter` null: all count. Terms of lanes whose filter is undecided widen b.
  void add(const Block& term, const Block* filter, double position);
  /// Terms of one lane-less reduction, in order.
  void add_in_order(const Block& terms, const Block* filter, int count, double first_position);

  struct Arrays {
    double *s, *largest, *squares, *magnitudes, *e2, *b;
  };
  Arrays arrays();
  void count_terms(double n);

  void finish(Block& out, bool& any_empty) const;
  bool empty(int lane) const { return count_[static_cast<std::size_t>(lane)] == 0; }

  std::vector<Sensitivity> sensitivities;

 private:
  bool add_by_lanes(const Block& terms, const Block* filter);
  void term(std::size_t lane, double x, double e, double b, bool undecided, double position);
  void choose(std::size_t lane, double x, double e, double b, bool undecided, double position);
  void finish_sum(std::size_t lane, Block& out) const;

  const Node& node_;
  int lanes_;
  Rounding rounding_;
  using Lanes = std::array<double, kLanes>;
  Lanes s_{}, largest_{}, squares_{}, magnitudes_{}, e2_{}, b_{}, count_{};
  Lanes best_{}, best_e_{}, best_b_{}, place_{}, reach_{};
};

}  // namespace tileops::certify::oracle
