// Sums of products, the inner loop of every matrix product and attention: one factor is packed as a
// panel [terms][lanes], the other is one number a term.
#include <algorithm>

#include "certify/oracle/inner_loops.h"
#include "certify/oracle/leaves.h"
#include "certify/oracle/worker.h"

namespace tileops::certify::oracle {
namespace {

// Products of two such numbers are normal float32 numbers: no range rule can matter.
constexpr double kSmallest = 0x1p-63, kLargest = 0x1p+63;
constexpr std::size_t kMostPanelBytes = 64 << 20;

/// The largest magnitude; infinity where some value is neither 0 nor such a number.
template <class T>
double largest_of(const T* values, std::size_t count) {
  T largest = 0, odd = 0;
  for (std::size_t i = 0; i < count; ++i) {
    T magnitude = std::abs(values[i]);
    bool plain = magnitude == 0 || (magnitude >= T(kSmallest) && magnitude <= T(kLargest));
    odd = plain ? odd : 1;
    largest = largest > magnitude ? largest : magnitude;
  }
  return odd == 0 ? largest : kInfinity;
}

}  // namespace

/// Where the elements of a panel lie in their tensor, and what tells it from others of its node.
struct Worker::PanelPlace {
  Key key;
  std::int64_t offset = 0, term_step = 0, lane_step = 0;
};

bool Worker::place_panel(
    const Node& n, int slot, std::int64_t lo, std::int64_t hi, PanelPlace& out) {
  const TensorView& view = tensors_[static_cast<std::size_t>(n.tensor)];
  auto term = static_cast<std::size_t>(slot), lane = static_cast<std::size_t>(frame_.lane_slot);
  Slots moving = Slots{1} << term | Slots{1} << lane;
  std::int64_t kept = frame_.index[term];
  frame_.index[term] = lo;
  bool fits = is_floating(view.dtype) && size_bytes(view.dtype) <= sizeof(float);
  for (std::size_t axis = 0; axis < n.subscripts.size() && fits; ++axis) {
    const Subscript& s = n.subscripts[axis];
    fits = s.node < 0 || (node(s.node).slots & moving) == 0;
    if (!fits) break;
    std::int64_t at = subscript_at(s);
    std::int64_t terms = s.coefficients[term] * (hi - lo - 1);
    std::int64_t lanes = s.coefficients[lane] * (frame_.lanes - 1);
    std::int64_t least = at + std::min<std::int64_t>(terms, 0) + std::min<std::int64_t>(lanes, 0);
    std::int64_t most = at + std::max<std::int64_t>(terms, 0) + std::max<std::int64_t>(lanes, 0);
    fits = least >= 0 && most < view.sizes[axis];
    out.key.push_back(at);
    out.offset += at * view.steps[axis];
    out.term_step += s.coefficients[term] * view.steps[axis];
    out.lane_step += s.coefficients[lane] * view.steps[axis];
  }
  frame_.index[term] = kept;
  return fits;
}

const Worker::Panel& Worker::panel(int index, int slot, std::int64_t lo, std::int64_t hi) {
  const Node& n = node(index);
  PanelPlace place{{index, lo, hi, frame_.lanes}};
  bool fits = place_panel(n, slot, lo, hi, place);
  if (!fits) place.key = {index};
  auto known = panels_.find(place.key);
  if (known != panels_.end()) return known->second;
  auto terms = static_cast<std::size_t>(hi - lo), lanes = static_cast<std::size_t>(frame_.lanes);
  std::size_t size = fits ? panel_size(terms, lanes) : 0;
  if (panel_bytes_ + size * sizeof(float) > kMostPanelBytes) {
    panels_.clear();
    panel_bytes_ = 0;
  }
  panel_bytes_ += size * sizeof(float);
  Panel& out = panels_[place.key];
  out.values.resize(size);
  if (!fits) return out;
  const TensorView& view = tensors_[static_cast<std::size_t>(n.tensor)];
  auto to = [&](std::size_t k, std::size_t lane) -> float& {
    return out.values[(lane / kGroup * terms + k) * kGroup + lane % kGroup];
  };
  // Runs along the axis that is closer together in memory.
  std::array<double, kLanes> run;
  if (std::abs(place.term_step) >= std::abs(place.lane_step)) {
    for (std::size_t k = 0; k < terms; ++k) {
      load_elements(view, place.offset + static_cast<std::int64_t>(k) * place.term_step,
                    place.lane_step, lanes, run.data());
      for (std::size_t lane = 0; lane < lanes; ++lane) to(k, lane) = static_cast<float>(run[lane]);
    }
  } else {
    for (std::size_t k = 0; k < terms; k += kLanes) {
      std::size_t count = std::min<std::size_t>(kLanes, terms - k);
      for (std::size_t lane = 0; lane < lanes; ++lane) {
        load_elements(view,
                      place.offset + static_cast<std::int64_t>(k) * place.term_step +
                          static_cast<std::int64_t>(lane) * place.lane_step,
                      place.term_step, count, run.data());
        float* column = &to(k, lane);
        for (std::size_t i = 0; i < count; ++i) column[i * kGroup] = static_cast<float>(run[i]);
      }
    }
  }
  out.largest = largest_of(out.values.data(), out.values.size());
  return out;
}

/// The values of a leaf or a row of a local along `slot`; it does not vary over the lanes.
bool Worker::scalar_factor(int index, int slot, std::int64_t lo, std::int64_t hi, Factor& out) {
  const Node& n = node(index);
  auto term = static_cast<std::size_t>(slot);
  auto terms = static_cast<std::size_t>(hi - lo);
  if (n.kind == NodeKind::kInput) {
    Frame saved = frame_;
    factor_.resize(terms);
    frame_.lane_slot = slot;
    Temporary block(*this);
    bool exact = true;
    for (std::int64_t at = lo; at < hi; at += kLanes) {
      frame_.index[term] = at;
      frame_.lanes = static_cast<int>(std::min<std::int64_t>(kLanes, hi - at));
      load(n, *block);
      exact = exact && block->exact;
      std::copy_n(block->x.begin(), frame_.lanes, factor_.begin() + (at - lo));
    }
    frame_ = saved;
    out.x = factor_.data();
    out.largest = largest_of(out.x, terms);
    return exact;
  }
  if (n.kind != NodeKind::kLocal || n.subscripts.empty()) return false;
  const auto& shape = program_.instance->tensors[static_cast<std::size_t>(n.tensor)].shape;
  Key key{n.tensor};
  for (std::size_t axis = 0; axis + 1 < n.subscripts.size(); ++axis) {
    const Subscript& s = n.subscripts[axis];
    bool moves = s.coefficients[term] != 0 || (s.node >= 0 && (node(s.node).slots >> term & 1));
    if (moves) return false;
    key.push_back(subscript_at(s));
    if (key.back() < 0 || key.back() >= shape[axis]) return false;
  }
  const Subscript& last = n.subscripts.back();
  if (last.node >= 0 || last.coefficients[term] != 1) return false;
  frame_.index[term] = lo;
  std::int64_t first = subscript_at(last);
  if (first < 0 || first + hi - lo > shape.back()) return false;
  Frame saved = frame_;
  frame_.lane_slot = -1;
  frame_.lanes = 1;
  const Row& row = row_of(n, key);
  frame_ = saved;
  auto at = static_cast<std::size_t>(first);
  out = {row.x.data() + at, row.e.data() + at, row.b.data() + at, 0};
  for (std::size_t k = 0; k < terms; ++k) {
    if (!(std::abs(out.x[k]) <= kLargest) || !std::isfinite(out.b[k])) return false;
    out.largest = std::max(out.largest, std::abs(out.x[k]));
  }
  return true;
}

bool Worker::add_products_of(const Node& n, Accumulator& sums) {
  bool sum = n.reduce == spec::ReduceOp::kSum || n.reduce == spec::ReduceOp::kMean;
  const Node& body = node(n.body);
  bool product =
      body.kind == NodeKind::kApply && body.op == spec::Op::kMul && body.type == spec::Type::kFloat;
  if (!sum || !product || n.filter >= 0 || frame_.lanes < 8 || perturbed_ > 0) return false;
  const Range& r = n.ranges.back();
  auto lo = static_cast<std::int64_t>(scalar_of(r.lo)),
       hi = static_cast<std::int64_t>(scalar_of(r.hi));
  if (hi <= lo) return false;
  for (int side : {0, 1}) {
    int wide = body.args[static_cast<std::size_t>(side)];
    int narrow = body.args[static_cast<std::size_t>(1 - side)];
    bool roles = node(wide).kind == NodeKind::kInput && varies(node(wide)) &&
                 !varies(node(narrow)) && (node(narrow).slots >> r.slot & 1) != 0;
    if (!roles || overrides_[static_cast<std::size_t>(narrow)]) continue;
    Factor factor;
    if (!scalar_factor(narrow, r.slot, lo, hi, factor)) continue;
    const Panel& packed = panel(wide, r.slot, lo, hi);
    if (packed.values.empty()) continue;
    auto terms = static_cast<std::size_t>(hi - lo), lanes = static_cast<std::size_t>(frame_.lanes);
    // So far from overflow that this bound may stand for the sum of the magnitudes.
    double most = static_cast<double>(terms) * factor.largest * packed.largest;
    if (!(most < rounding_.half_range * 0x1p-40)) continue;
    Accumulator::Arrays to = sums.arrays();
    std::array<double, kLanes> before;
    std::copy_n(to.squares, lanes, before.begin());
    oracle::add_products(factor.x, packed.values.data(), terms, lanes,
                         {to.s, to.largest, to.squares});
    for (std::size_t i = 0; i < lanes; ++i) to.magnitudes[i] += most;
    double own = rounding_.unit * rounding_.unit / 3;  // of the products themselves
    for (std::size_t i = 0; i < lanes; ++i) to.e2[i] += own * (to.squares[i] - before[i]);
    if (factor.e) {
      add_product_errors(factor.e, factor.b, packed.values.data(), terms, lanes, to.e2, to.b);
      double tiny = 0;  // their products may be flushed
      for (std::size_t k = 0; k < terms; ++k) {
        tiny += std::abs(factor.x[k]) < kSmallest && factor.x[k] != 0 ? 1 : 0;
      }
      for (std::size_t i = 0; i < lanes; ++i) to.b[i] += tiny * rounding_.smallest;
    }
    sums.count_terms(static_cast<double>(terms));
    return true;
  }
  return false;
}

}  // namespace tileops::certify::oracle
