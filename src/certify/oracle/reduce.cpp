// Reductions: over lanes where the body does not vary along them, term by term otherwise.
#include <algorithm>

#include "certify/oracle/inner_loops.h"
#include "certify/oracle/worker.h"

namespace tileops::certify::oracle {

/// Names a reduction over lanes that further rows of the statement read again; empty where none do.
Worker::Key Worker::shared_key(int index) const {
  const Node& n = node(index);
  const Slots target = ~(~Slots{0} << frame_.statement->rank);
  if (perturbed_ > 0 || overriding_ > 0 || (n.slots & target) == target || frame_.lane_slot < 0)
    return {};
  Key key{index, frame_.lanes};
  for (Slots left = n.slots; left != 0; left &= left - 1) {
    key.push_back(frame_.index[static_cast<std::size_t>(__builtin_ctzll(left))]);
  }
  return key;
}

const Block* Worker::shared_block(const Key& key) {
  constexpr std::size_t kMost = 4096;  // 25 MB
  if (key.empty()) return nullptr;
  auto known = shared_blocks_.find(key);
  if (known != shared_blocks_.end()) return &known->second;
  if (shared_blocks_.size() >= kMost) shared_blocks_.clear();
  return nullptr;
}

void Worker::reduce(int index, Block& out) {
  const Node& n = node(index);
  if (frame_.lanes > 1) {
    const Key key = shared_key(index);
    if (const Block* known = shared_block(key)) {
      out = *known;
      return;
    }
    Accumulator sums(n, frame_.lanes, rounding_);
    fold(index, sums);
    bool any_empty = false;
    sums.finish(out, any_empty);
    if (any_empty && n.otherwise >= 0) {
      Temporary otherwise(*this);
      eval(n.otherwise, *otherwise);
      otherwise->make_inexact();
      for (int lane = 0; lane < frame_.lanes; ++lane) {
        auto i = static_cast<std::size_t>(lane);
        if (!sums.empty(lane)) continue;
        out.x[i] = otherwise->x[i], out.e[i] = otherwise->e[i], out.b[i] = otherwise->b[i];
      }
    }
    if (!key.empty()) shared_blocks_.emplace(key, out);
    return;
  }
  // Keys of reductions begin with a negative number, those of locals with a tensor.
  Key key{-1 - index};
  for (Slots left = n.slots; left != 0; left &= left - 1) {
    key.push_back(frame_.index[static_cast<std::size_t>(__builtin_ctzll(left))]);
  }
  auto known = perturbed_ == 0 ? scalars_.find(key) : scalars_.end();
  if (known != scalars_.end()) {
    out.exact = false;
    out.x[0] = known->second.x, out.e[0] = known->second.e, out.b[0] = known->second.b;
    return;
  }
  Accumulator sums(n, 1, rounding_);
  fold(index, sums);
  bool any_empty = false;
  sums.finish(out, any_empty);
  if (any_empty && n.otherwise >= 0) {
    eval(n.otherwise, out);
    out.make_inexact();
  }
  if (perturbed_ == 0) {
    if (scalars_.size() > (1 << 16)) scalars_.clear();
    scalars_.emplace(std::move(key), Scalar{out.x[0], out.e[0], out.b[0]});
  }
}

/// Invariant parts with errors enter as exact values, and by the sum's derivative.
void Worker::fold(int index, Accumulator& sums) {
  const Node& n = node(index);
  bool linear = n.reduce == spec::ReduceOp::kSum || n.reduce == spec::ReduceOp::kMean;
  std::vector<std::pair<int, std::unique_ptr<Block>>> plain;
  if (linear) {
    sums.sensitivities.reserve(n.invariants.size());
    for (int part : n.invariants) {
      if (overrides_[static_cast<std::size_t>(part)]) continue;
      Sensitivity& sensitivity = sums.sensitivities.emplace_back();
      sensitivity.node = part;
      eval(part, sensitivity.value);
      plain.emplace_back(part, std::make_unique<Block>(sensitivity.value));
      plain.back().second->exact = true;
      // Inside a reduction of one place its own index runs over the lanes: the part is the same.
      std::fill(plain.back().second->x.begin() + frame_.lanes, plain.back().second->x.end(),
                sensitivity.value.x[0]);
    }
  }
  for (const auto& [part, block] : plain) overrides_[static_cast<std::size_t>(part)] = block.get();
  overriding_ += static_cast<int>(plain.size());
  loop(n, 0, sums);
  overriding_ -= static_cast<int>(plain.size());
  for (const auto& [part, block] : plain) overrides_[static_cast<std::size_t>(part)] = nullptr;
}

void Worker::loop(const Node& n, std::size_t range, Accumulator& sums) {
  const Range& r = n.ranges[range];
  auto slot = static_cast<std::size_t>(r.slot);
  auto lo = static_cast<std::int64_t>(scalar_of(r.lo));
  auto hi = static_cast<std::int64_t>(scalar_of(r.hi));
  bool innermost = range + 1 == n.ranges.size();
  if (innermost && add_products_of(n, sums)) return;
  if (innermost && sums.lanes() == 1) {
    // Nothing else runs over the lanes: the innermost index does.
    int outer = frame_.lane_slot;
    for (std::int64_t at = lo; at < hi; at += kLanes) {
      frame_.lane_slot = r.slot;
      frame_.index[slot] = at;
      frame_.lanes = static_cast<int>(std::min<std::int64_t>(kLanes, hi - at));
      add_block(n, sums);
    }
    frame_.lane_slot = outer;
    frame_.lanes = 1;
    return;
  }
  for (std::int64_t at = lo; at < hi; ++at) {
    frame_.index[slot] = at;
    if (innermost) {
      add_block(n, sums);
    } else {
      loop(n, range + 1, sums);
    }
  }
}

void Worker::add_block(const Node& n, Accumulator& sums) {
  Temporary body(*this), filter(*this);
  const Block* kept = nullptr;
  if (n.filter >= 0) {
    eval(n.filter, *filter);
    kept = filter.get();
    bool none = filter->exact;
    for (int lane = 0; lane < frame_.lanes && none; ++lane) {
      none = filter->x[static_cast<std::size_t>(lane)] == 0;
    }
    if (none) return;
  }
  eval(n.body, *body);
  auto position = static_cast<double>(frame_.index[static_cast<std::size_t>(n.ranges.back().slot)]);
  bool in_order = sums.lanes() == 1;
  if (in_order) {
    sums.add_in_order(*body, kept, frame_.lanes, position);
  } else {
    sums.add(*body, kept, position);
  }
  add_sensitivities(n, *body, kept, sums);
}

/// By difference: the body again with each invariant part moved a little.
void Worker::add_sensitivities(const Node& n,
                               const Block& body,
                               const Block* filter,
                               Accumulator& sums) {
  for (Sensitivity& part : sums.sensitivities) {
    const Block& value = part.value;
    bool any = false;
    for (int lane = 0; lane < sums.lanes() && !value.exact; ++lane) {
      auto i = static_cast<std::size_t>(lane);
      any = any || value.e[i] > 0 || value.b[i] > 0;
    }
    if (!any) continue;
    const Block* plain = overrides_[static_cast<std::size_t>(part.node)];
    Temporary moved(*this), result(*this);
    *moved = *plain;
    auto step = [](double x) {
      return std::isfinite(x) && x != 0 ? std::abs(x) * 0x1p-20 : 0x1p-20;
    };
    for (std::size_t i = 0; i < static_cast<std::size_t>(frame_.lanes); ++i)
      moved->x[i] += step(plain->x[i]);
    overrides_[static_cast<std::size_t>(part.node)] = moved.get();
    ++perturbed_;
    eval(n.body, *result);
    --perturbed_;
    overrides_[static_cast<std::size_t>(part.node)] = plain;
    for (int lane = 0; lane < frame_.lanes; ++lane) {
      auto i = static_cast<std::size_t>(lane);
      if (filter && filter->x[i] == 0) continue;
      double slope = (result->x[i] - body.x[i]) / step(plain->x[i]);
      if (std::isfinite(slope)) part.derivative[sums.lanes() == 1 ? 0 : i] += slope;
    }
  }
}

}  // namespace tileops::certify::oracle
