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

bool all_plain(const double* values, std::size_t count) {
  double odd = 0;
  for (std::size_t i = 0; i < count; ++i) {
    double magnitude = std::abs(values[i]);
    bool plain = magnitude == 0 || (magnitude >= kSmallest && magnitude <= kLargest);
    odd += plain ? 0 : 1;
  }
  return odd == 0;
}

}  // namespace

/// Empty key: the leaf does not lend itself to packing.
const Worker::Panel& Worker::panel(int index, int slot, std::int64_t lo, std::int64_t hi) {
  const Node& n = node(index);
  const TensorView& view = tensors_[static_cast<std::size_t>(n.tensor)];
  Key key{lo, hi, frame_.lanes};
  std::int64_t offset = 0, term_step = 0, lane_step = 0;
  bool fits = true;
  auto term = static_cast<std::size_t>(slot), lane = static_cast<std::size_t>(frame_.lane_slot);
  Slots moving = Slots{1} << term | Slots{1} << lane;
  std::int64_t kept = frame_.index[term];
  frame_.index[term] = lo;
  for (std::size_t axis = 0; axis < n.subscripts.size(); ++axis) {
    const Subscript& s = n.subscripts[axis];
    fits = fits && (s.node < 0 || (node(s.node).slots & moving) == 0);
    if (!fits) break;
    std::int64_t at = subscript_at(s);
    std::int64_t terms = s.coefficients[term] * (hi - lo - 1);
    std::int64_t lanes = s.coefficients[lane] * (frame_.lanes - 1);
    std::int64_t least = at + std::min<std::int64_t>(terms, 0) + std::min<std::int64_t>(lanes, 0);
    std::int64_t most = at + std::max<std::int64_t>(terms, 0) + std::max<std::int64_t>(lanes, 0);
    fits = fits && least >= 0 && most < view.sizes[axis];
    key.push_back(at);
    offset += at * view.steps[axis];
    term_step += s.coefficients[term] * view.steps[axis];
    lane_step += s.coefficients[lane] * view.steps[axis];
  }
  frame_.index[term] = kept;
  Panel& out = panels_[index];
  if (!fits) {
    out.key.clear();
    return out;
  }
  if (out.key == key) return out;
  auto terms = static_cast<std::size_t>(hi - lo), lanes = static_cast<std::size_t>(frame_.lanes);
  out.values.resize(terms * lanes);
  if (std::abs(term_step) >= std::abs(lane_step)) {
    for (std::size_t k = 0; k < terms; ++k) {
      load_elements(view, offset + static_cast<std::int64_t>(k) * term_step, lane_step, lanes,
                    out.values.data() + k * lanes);
    }
  } else {
    constexpr std::size_t kRun = 64;  // terms at a time, so that writes stay in the cache
    std::array<double, kRun> run;
    for (std::size_t k = 0; k < terms; k += kRun) {
      std::size_t count = std::min(kRun, terms - k);
      for (std::size_t l = 0; l < lanes; ++l) {
        load_elements(view,
                      offset + static_cast<std::int64_t>(k) * term_step +
                          static_cast<std::int64_t>(l) * lane_step,
                      term_step, count, run.data());
        for (std::size_t i = 0; i < count; ++i) out.values[(k + i) * lanes + l] = run[i];
      }
    }
  }
  out.plain = all_plain(out.values.data(), out.values.size());
  out.key = std::move(key);
  return out;
}

/// The values of a leaf or a row of a local along `slot`; it does not vary over the lanes.
bool Worker::scalar_factor(int index, int slot, std::int64_t lo, std::int64_t hi, Factor& out) {
  const Node& n = node(index);
  auto term = static_cast<std::size_t>(slot);
  auto terms = static_cast<std::size_t>(hi - lo);
  if (n.kind == NodeKind::kInput) {
    Frame saved = frame_;
    factor_[0].resize(terms);
    frame_.lane_slot = slot;
    Temporary block(*this);
    bool plain = true;
    for (std::int64_t at = lo; at < hi; at += kLanes) {
      frame_.index[term] = at;
      frame_.lanes = static_cast<int>(std::min<std::int64_t>(kLanes, hi - at));
      load(n, *block);
      plain = plain && block->exact;
      std::copy_n(block->x.begin(), frame_.lanes, factor_[0].begin() + (at - lo));
    }
    frame_ = saved;
    out.x = factor_[0].data();
    return plain && all_plain(out.x, terms);
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
  out = {row.x.data() + at, row.e.data() + at, row.b.data() + at};
  for (std::size_t k = 0; k < terms; ++k) {
    if (!(std::abs(out.x[k]) <= kLargest) || !std::isfinite(out.b[k])) return false;
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
    if (packed.key.empty() || !packed.plain) continue;
    auto terms = static_cast<std::size_t>(hi - lo), lanes = static_cast<std::size_t>(frame_.lanes);
    Accumulator::Arrays to = sums.arrays();
    std::array<double, kLanes> before;
    std::copy_n(to.squares, lanes, before.begin());
    oracle::add_products(factor.x, packed.values.data(), terms, lanes,
                         {to.s, to.largest, to.squares, to.magnitudes});
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
