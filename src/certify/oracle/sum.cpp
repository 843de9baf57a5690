// Terms to values, operator by operator.
#include "certify/oracle/sum.h"

#include <algorithm>

#include "certify/oracle/lane_loops.h"

namespace tileops::certify::oracle {

using spec::ReduceOp;
using spec::Type;

Accumulator::Accumulator(const Node& node, int lanes, Rounding rounding)
    : node_(node), lanes_(lanes), rounding_(rounding) {
  if (node.reduce == ReduceOp::kProd) s_.fill(1);
  if (node.reduce == ReduceOp::kAll) s_.fill(1);
}

Accumulator::Arrays Accumulator::arrays() {
  return {s_.data(), largest_.data(), squares_.data(), magnitudes_.data(), e2_.data(), b_.data()};
}

void Accumulator::count_terms(double n) {
  for (int lane = 0; lane < lanes_; ++lane) count_[static_cast<std::size_t>(lane)] += n;
}

/// The commonest kinds where each lane's filter is decided.
bool Accumulator::add_by_lanes(const Block& terms, const Block* filter) {
  if (filter && !filter->exact) return false;
  const double* kept = filter ? filter->x.data() : nullptr;
  switch (node_.reduce) {
    case ReduceOp::kSum:
    case ReduceOp::kMean:
      add_terms(terms, kept, lanes_,
                {s_.data(), largest_.data(), squares_.data(), magnitudes_.data(), e2_.data(),
                 b_.data(), count_.data()});
      return true;
    case ReduceOp::kMax:
    case ReduceOp::kMin:
      take_extremes(terms, kept, node_.reduce == ReduceOp::kMax, lanes_,
                    {best_.data(), best_e_.data(), best_b_.data(), count_.data()});
      return true;
    default:
      return false;
  }
}

void Accumulator::add(const Block& term_block, const Block* filter, double position) {
  if (add_by_lanes(term_block, filter)) return;
  for (int lane = 0; lane < lanes_; ++lane) {
    auto i = static_cast<std::size_t>(lane);
    bool undecided = filter && !filter->exact && filter->b[i] > 0;
    if (filter && filter->x[i] == 0 && !undecided) continue;
    double e = term_block.exact ? 0 : term_block.e[i], b = term_block.exact ? 0 : term_block.b[i];
    term(i, term_block.x[i], e, b, undecided, position);
  }
}

void Accumulator::add_in_order(const Block& terms,
                               const Block* filter,
                               int count,
                               double first_position) {
  for (int lane = 0; lane < count; ++lane) {
    auto i = static_cast<std::size_t>(lane);
    bool undecided = filter && !filter->exact && filter->b[i] > 0;
    if (filter && filter->x[i] == 0 && !undecided) continue;
    double e = terms.exact ? 0 : terms.e[i], b = terms.exact ? 0 : terms.b[i];
    term(0, terms.x[i], e, b, undecided, first_position + lane);
  }
}

void Accumulator::term(
    std::size_t i, double x, double e, double b, bool undecided, double position) {
  switch (node_.reduce) {
    case ReduceOp::kSum:
    case ReduceOp::kMean:
      s_[i] += x;
      largest_[i] = std::max(largest_[i], std::abs(s_[i]));
      squares_[i] += x * x;
      if (std::isfinite(x)) magnitudes_[i] += std::abs(x);
      e2_[i] += e * e;
      b_[i] += b + (undecided ? std::abs(x) : 0);
      break;
    case ReduceOp::kProd:
      // Errors are relative: d(product)/dt = product / t.
      s_[i] *= x;
      e2_[i] += x == 0 ? 0 : (e / x) * (e / x);
      b_[i] += x == 0 ? 0 : b / std::abs(x);
      if (undecided) b_[i] = kInfinity;
      break;
    case ReduceOp::kCount:
      s_[i] += x != 0;
      b_[i] += (b > 0 || (undecided && x != 0)) ? 1 : 0;
      break;
    case ReduceOp::kAny:
    case ReduceOp::kAll: {
      bool decides = (x != 0) == (node_.reduce == ReduceOp::kAny);
      if (decides && b == 0 && !undecided) largest_[i] = 1;  // whatever else is undecided
      if (decides) s_[i] = node_.reduce == ReduceOp::kAny;
      b_[i] = std::max(b_[i], b > 0 || undecided ? 1.0 : 0.0);
      break;
    }
    default:
      choose(i, x, e, b, undecided, position);
      return;
  }
  count_[i] += 1;
}

/// max, min, argmax, argmin, first.
void Accumulator::choose(
    std::size_t i, double x, double e, double b, bool undecided, double position) {
  if (node_.reduce == ReduceOp::kFirst) {
    if (x == 0 || count_[i] > 0) return;
    place_[i] = position;
    reach_[i] = b > 0 || undecided ? kInfinity : 0;
    count_[i] = 1;
    return;
  }
  bool largest = node_.reduce == ReduceOp::kMax || node_.reduce == ReduceOp::kArgmax;
  bool index = node_.reduce == ReduceOp::kArgmax || node_.reduce == ReduceOp::kArgmin;
  bool first = count_[i] == 0;
  count_[i] += 1;
  if (std::isnan(x) && index && node_.nan == spec::NanRule::kLast && !first) return;
  bool was_nan = !first && std::isnan(best_[i]);
  bool nan_stays = !index || node_.nan != spec::NanRule::kLast;
  if (was_nan && nan_stays) return;
  double margin = 6 * (e + best_e_[i]) + b + best_b_[i];
  bool better = first || was_nan || std::isnan(x) || (largest ? x > best_[i] : x < best_[i]) ||
                (x == best_[i] && index && node_.ties == spec::Ties::kLast);
  bool close =
      !first && !std::isnan(x) && !was_nan && margin > 0 && std::abs(x - best_[i]) <= margin;
  if (close) reach_[i] = std::max(reach_[i], std::abs(position - place_[i]));
  if (better) {
    double old_e = close ? best_e_[i] : 0, old_b = close ? best_b_[i] : 0;
    best_[i] = x;
    best_e_[i] = std::max(e, old_e);
    best_b_[i] = std::max(b, old_b);
    if (!close) reach_[i] = 0;
    place_[i] = position;
  } else if (close) {
    best_e_[i] = std::max(best_e_[i], e);
    best_b_[i] = std::max(best_b_[i], b);
  }
  if (undecided) best_b_[i] = kInfinity;
}

void Accumulator::finish_sum(std::size_t i, Block& out) const {
  double n = count_[i], u = rounding_.unit;
  double scale = node_.reduce == ReduceOp::kMean ? 1 / n : 1;
  double x = s_[i] * scale;
  if (node_.reduce == ReduceOp::kMean && n == 0) x = std::numeric_limits<double>::quiet_NaN();
  if (node_.type == Type::kInt || node_.type == Type::kBool) {
    out.x[i] = x;
    out.e[i] = 0;
    out.b[i] = b_[i] > 0 ? kInfinity : 0;
    return;
  }
  double spread = largest_[i] * largest_[i] + squares_[i];
  double e2 = e2_[i] + n * u * u / 3 * spread, b = b_[i];
  if (rounding_.truncating) b += n / 16 * 0x1p-23 * std::sqrt(spread);
  for (const Sensitivity& part : sensitivities) {
    double slope = std::abs(part.derivative[i]);
    if (part.value.exact || slope == 0) continue;
    e2 += slope * part.value.e[i] * slope * part.value.e[i];
    b += part.value.b[i] == 0 ? 0 : slope * part.value.b[i];
  }
  double e = std::sqrt(e2) * scale;
  b *= scale;
  if (node_.reduce == ReduceOp::kMean) e = std::hypot(e, u * x / std::sqrt(3.0));
  if (magnitudes_[i] > rounding_.half_range) b = kInfinity;
  if (std::abs(x) < rounding_.smallest && x != 0) b += rounding_.smallest;
  if (!std::isfinite(x)) {
    b = std::isinf(b) || std::isnan(b) ? kInfinity : 0;
    e = 0;
  } else if (std::isnan(e) || std::isnan(b)) {
    e = 0;
    b = kInfinity;
  }
  out.x[i] = x;
  out.e[i] = e;
  out.b[i] = b;
}

void Accumulator::finish(Block& out, bool& any_empty) const {
  out.exact = false;
  any_empty = false;
  for (int lane = 0; lane < lanes_; ++lane) {
    auto i = static_cast<std::size_t>(lane);
    any_empty = any_empty || count_[i] == 0;
    out.e[i] = 0;
    switch (node_.reduce) {
      case ReduceOp::kSum:
      case ReduceOp::kMean:
        finish_sum(i, out);
        break;
      case ReduceOp::kProd: {
        double relative = std::sqrt(e2_[i] + count_[i] * rounding_.unit * rounding_.unit / 3);
        bool whole = node_.type == Type::kInt;
        out.x[i] = s_[i];
        out.e[i] = whole || !std::isfinite(s_[i]) ? 0 : relative * std::abs(s_[i]);
        out.b[i] = b_[i] == 0 ? 0 : b_[i] * std::abs(s_[i]);
        if (std::isfinite(s_[i]) && std::abs(s_[i]) > rounding_.half_range && !whole) {
          out.b[i] = kInfinity;
        }
        break;
      }
      case ReduceOp::kCount:
        out.x[i] = s_[i];
        out.b[i] = b_[i];
        break;
      case ReduceOp::kAny:
      case ReduceOp::kAll:
        out.x[i] = s_[i];
        out.b[i] = largest_[i] == 1 ? 0 : b_[i];
        break;
      case ReduceOp::kMax:
      case ReduceOp::kMin:
        out.x[i] = count_[i] > 0                    ? best_[i]
                   : node_.reduce == ReduceOp::kMax ? -kInfinity
                                                    : kInfinity;
        out.e[i] = best_e_[i];
        out.b[i] = best_b_[i];
        break;
      default:
        out.x[i] = place_[i];
        out.b[i] = reach_[i];
    }
  }
}

}  // namespace tileops::certify::oracle
