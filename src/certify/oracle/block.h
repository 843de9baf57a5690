// Values of one expression at up to 256 places, each with the error that a legitimate
// implementation may have.
#pragma once

#include <array>
#include <cmath>
#include <limits>

namespace tileops::certify::oracle {

inline constexpr int kLanes = 256;
inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// x: the value; e: RMS error; b: bias bound. A bool is 0 or 1, and undecided where b > 0.
struct Block {
  std::array<double, kLanes> x, e, b;
  bool exact = true;  ///< e = b = 0 everywhere, and not filled in

  /// Fills in e = b = 0.
  void make_inexact() {
    if (!exact) return;
    exact = false;
    e.fill(0);
    b.fill(0);
  }
  double error(int lane) const {
    auto i = static_cast<std::size_t>(lane);
    return exact ? 0 : 6 * e[i] + b[i];
  }
};

}  // namespace tileops::certify::oracle
