// Is a kernel's output acceptable? Design: accept y where R(x - E) <= y <= R(x + E), E = 6e + b.
#pragma once

#include <cstdint>
#include <string>

#include "certify/oracle/oracle.h"

namespace tileops::certify::oracle {

inline constexpr double kErrorFactor = 6.0;

/// What was wrong first, for messages.
struct Mismatch {
  std::int64_t element = -1;  ///< row-major
  double expected = 0, actual = 0, tolerance = 0;
};

struct Verdict {
  bool passed = true;
  double margin = 0;      ///< largest distance of x to the interval that rounds to y, over E
  double rms_ratio = 0;   ///< of the whole-tensor test; above 1 fails
  double bias_ratio = 0;  ///< of the mean test; above 1 fails
  std::int64_t elements = 0, wrong = 0;
  Mismatch first;
  std::string why;  ///< which test failed; empty when passed
};

/// Judges an output range by range; memory does not grow with the tensor.
class Acceptance {
 public:
  /// `statistics`: inputs have random low bits, so the whole-tensor tests hold (from 4,096
  /// elements).
  Acceptance(DType output_dtype, bool exact, bool statistics);
  /// `actual` is the whole output in any strides; `begin` is where `values` starts in it.
  void add(const Values& values, const TensorView& actual, std::int64_t begin, int threads = 1);
  /// `rows`: elements whose errors are independent of one another.
  Verdict verdict(double rows) const;

 private:
  void add_range(const Values& values,
                 const TensorView& actual,
                 std::int64_t begin,
                 std::size_t from,
                 std::size_t to);
  bool between(double y, double low, double high) const;
  void merge(const Acceptance& later);

  DType dtype_;
  bool exact_, statistics_;
  Verdict so_far_;
  double sum_squares_ = 0, sum_allowed_ = 0, sum_bias_ = 0, sum_flips_ = 0, sum_e2_ = 0, sum_b_ = 0;
};

}  // namespace tileops::certify::oracle
