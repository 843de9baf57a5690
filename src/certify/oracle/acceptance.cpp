// Element by element, and over the tensor.
#include "certify/oracle/acceptance.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "certify/oracle/rounding.h"

namespace tileops::certify::oracle {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr std::int64_t kFewestForStatistics = 4096;
constexpr double kMostRms = 1.25;

double at(const TensorView& view, std::int64_t element) {
  std::int64_t offset = 0;
  for (std::size_t axis = view.shape().size(); axis-- > 0;) {
    offset += element % view.sizes[axis] * view.steps[axis];
    element /= view.sizes[axis];
  }
  return load_element(view, offset);
}

bool same(double a, double b) {
  return a == b || (std::isnan(a) && std::isnan(b));
}

}  // namespace

Acceptance::Acceptance(DType output_dtype, bool exact, bool statistics)
    : dtype_(output_dtype), exact_(exact), statistics_(statistics) {}

/// Is y one of the stored values from low to high?
bool Acceptance::between(double y, double low, double high) const {
  low = rounded(dtype_, low), high = rounded(dtype_, high);
  return (low <= y && y <= high) || same(low, y) || same(high, y);
}

void Acceptance::add(const Values& values,
                     const TensorView& actual,
                     std::int64_t begin,
                     int threads) {
  const std::size_t count = values.x.size();
  const auto parts = static_cast<std::size_t>(std::max(1, threads));
  std::vector<Acceptance> judges(parts, Acceptance(dtype_, exact_, statistics_));
#pragma omp parallel for num_threads(std::max(1, threads)) if (parts > 1)
  for (std::size_t part = 0; part < parts; ++part) {
    judges[part].add_range(values, actual, begin, count * part / parts, count * (part + 1) / parts);
  }
  for (const Acceptance& judge : judges) merge(judge);
}

void Acceptance::merge(const Acceptance& later) {
  const Verdict& other = later.so_far_;
  if (so_far_.passed && !other.passed) {
    so_far_.passed = false;
    so_far_.first = other.first;
    so_far_.why = other.why;
  }
  so_far_.margin = std::max(so_far_.margin, other.margin);
  so_far_.elements += other.elements;
  so_far_.wrong += other.wrong;
  sum_squares_ += later.sum_squares_;
  sum_allowed_ += later.sum_allowed_;
  sum_bias_ += later.sum_bias_;
  sum_flips_ += later.sum_flips_;
  sum_e2_ += later.sum_e2_;
  sum_b_ += later.sum_b_;
}

void Acceptance::add_range(const Values& values,
                           const TensorView& actual,
                           std::int64_t begin,
                           std::size_t from,
                           std::size_t to) {
  auto refuse = [&](std::int64_t element, double x, double y, double tolerance, const char* why) {
    if (so_far_.wrong++ == 0) {
      so_far_.passed = false;
      so_far_.first = {element, x, y, tolerance};
      so_far_.why = why;
    }
  };
  const bool dense = actual.is_dense();
  for (std::size_t i = from; i < to; ++i) {
    double x = values.x[i], e = values.e[i], b = values.b[i];
    std::int64_t element = begin + static_cast<std::int64_t>(i);
    double y = dense ? load_element(actual, element) : at(actual, element);
    ++so_far_.elements;
    if (b == kInf) continue;
    double tolerance = exact_ ? 0 : kErrorFactor * e + b;
    double target = rounded(dtype_, x);
    if (!std::isfinite(x) || tolerance == 0) {
      if (!same(target, y)) {
        so_far_.margin = kInf;
        refuse(element, x, y, tolerance, "values differ");
      }
      continue;
    }
    if (!same(target, y)) {
      double margin = distance_to_rounding(dtype_, x, y) / tolerance;
      so_far_.margin = std::max(so_far_.margin, margin);
      if (margin > 1 && !between(y, x - tolerance, x + tolerance)) {
        refuse(element, x, y, tolerance, "values differ by more than the tolerance");
      }
    }
    if (!std::isfinite(y) || !std::isfinite(target)) continue;
    double excess = std::max(0.0, std::abs(y - x) - b);
    sum_squares_ += excess * excess;
    sum_allowed_ += e * e + (target - x) * (target - x);
    sum_bias_ += y - target;
    sum_flips_ += (y - target) * (y - target);
    sum_e2_ += e * e;
    sum_b_ += b;
  }
}

Verdict Acceptance::verdict(double rows) const {
  Verdict verdict = so_far_;
  if (!statistics_ || exact_ || verdict.elements < kFewestForStatistics) return verdict;
  auto n = static_cast<double>(verdict.elements);
  double allowed = kMostRms * kMostRms * sum_allowed_;
  verdict.rms_ratio = allowed > 0 ? std::sqrt(sum_squares_ / allowed) : 0;
  // An error far below the output's spacing shows as a rare flip to the next value, which is far
  // larger than e: the spread of a sound mean is that of the flips. A bias that moves many elements
  // one way still stands out, as their number grows faster than its square root.
  double rms_e = std::sqrt((sum_e2_ + sum_flips_) / n);
  double mean_allowed = sum_b_ / n + kErrorFactor * rms_e / std::sqrt(std::max(1.0, rows));
  double mean = std::abs(sum_bias_ / n);
  verdict.bias_ratio = mean_allowed > 0 ? mean / mean_allowed : mean > 0 ? kInf : 0;
  if (verdict.passed && verdict.rms_ratio > 1) {
    verdict.passed = false;
    verdict.why = "the whole tensor's error is larger than its elements' errors explain";
  } else if (verdict.passed && verdict.bias_ratio > 1) {
    verdict.passed = false;
    verdict.why = "the mean of the whole tensor is off";
  }
  return verdict;
}

}  // namespace tileops::certify::oracle
