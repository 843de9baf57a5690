// Nodes other than reductions.
#include "certify/oracle/worker.h"

#include <algorithm>

#include "certify/oracle/functions.h"
#include "certify/oracle/lane_loops.h"
#include "certify/oracle/leaves.h"
#include "tileops/error.h"

namespace tileops::certify::oracle {

namespace {
constexpr std::size_t kMostScalars = 1 << 16;
constexpr std::size_t kMostRowBytes = 64 << 20;
}  // namespace

std::size_t Worker::KeyHash::operator()(const Key& key) const {
  std::size_t hash = 0x9e3779b97f4a7c15ULL;
  for (std::int64_t word : key) {
    hash = (hash ^ static_cast<std::size_t>(word)) * 0xff51afd7ed558ccdULL;
    hash ^= hash >> 32;
  }
  return hash;
}

Worker::Temporary::Temporary(Worker& worker) : worker_(worker) {
  if (worker_.used_blocks_ == worker_.blocks_.size()) {
    worker_.blocks_.push_back(std::make_unique<Block>());
  }
  block_ = worker_.blocks_[worker_.used_blocks_++].get();
}

Worker::Worker(const Program& program, std::vector<TensorView> tensors, Rounding rounding)
    : program_(program),
      tensors_(std::move(tensors)),
      rounding_(rounding),
      overrides_(program.nodes.size(), nullptr) {}

void Worker::evaluate(int statement,
                      const std::vector<std::int64_t>& index,
                      int count,
                      Block& out) {
  Frame outer = frame_;
  const StatementProgram& program = program_.statements[static_cast<std::size_t>(statement)];
  frame_ = {};
  frame_.statement = &program;
  std::copy(index.begin(), index.end(), frame_.index.begin());
  frame_.lane_slot = program.rank > 0 && count > 1 ? program.rank - 1 : -1;
  frame_.lanes = count;
  eval(program.value, out);
  round_local(program, out);
  frame_ = outer;
}

void Worker::round_local(const StatementProgram& statement, Block& block) const {
  if (statement.round_to == 0) return;
  block.make_inexact();
  for (std::size_t i = 0; i < kLanes; ++i) {
    double rounding = statement.round_to * block.x[i];
    if (std::isfinite(rounding))
      block.e[i] = std::sqrt(block.e[i] * block.e[i] + rounding * rounding / 3);
  }
}

/// A part that does not vary over the lanes is evaluated once where that is dear.
void Worker::eval(int index, Block& out) {
  if (const Block* known = overrides_[static_cast<std::size_t>(index)]) {
    out = *known;
    return;
  }
  const Node& n = node(index);
  bool dear = n.kind == NodeKind::kReduce || n.kind == NodeKind::kLocal ||
              (n.kind == NodeKind::kApply && is_function(n.op));
  if (!dear || frame_.lanes == 1 || varies(n)) {
    eval_node(index, out);
    return;
  }
  int slot = frame_.lane_slot, lanes = frame_.lanes;
  frame_.lane_slot = -1;
  frame_.lanes = 1;
  eval_node(index, out);
  frame_.lane_slot = slot;
  frame_.lanes = lanes;
  auto n_lanes = static_cast<std::size_t>(lanes);
  std::fill_n(out.x.begin(), n_lanes, out.x[0]);
  if (out.exact) return;
  std::fill_n(out.e.begin(), n_lanes, out.e[0]);
  std::fill_n(out.b.begin(), n_lanes, out.b[0]);
}

void Worker::eval_node(int index, Block& out) {
  const Node& n = node(index);
  auto lanes = static_cast<std::size_t>(frame_.lanes);
  switch (n.kind) {
    case NodeKind::kConst:
      out.exact = true;
      std::fill_n(out.x.begin(), lanes, n.value);
      return;
    case NodeKind::kIndex: {
      out.exact = true;
      auto base = static_cast<double>(frame_.index[static_cast<std::size_t>(n.slot)]);
      double step = n.slot == frame_.lane_slot ? 1 : 0;
      for (std::size_t i = 0; i < lanes; ++i) out.x[i] = base + step * static_cast<double>(i);
      return;
    }
    case NodeKind::kInput:
      return load(n, out);
    case NodeKind::kLocal:
      return local(n, out);
    case NodeKind::kSelect:
      return eval_select(n, out);
    case NodeKind::kReduce:
      return reduce(index, out);
    case NodeKind::kRound: {
      Temporary value(*this);
      eval(n.args[0], *value);
      return round_block(n, *value, frame_.lanes, out);
    }
    case NodeKind::kApply:
      break;
  }
  Temporary a(*this), b(*this), c(*this);
  const Block* args[3] = {a.get(), b.get(), c.get()};
  Block* targets[3] = {a.get(), b.get(), c.get()};
  for (std::size_t i = 0; i < n.args.size(); ++i) eval(n.args[i], *targets[i]);
  Rounding rounding = rounding_;
  if (is_function(n.op)) rounding.function = program_.function_roundoff(n.op);
  apply(n, {args, n.args.size()}, rounding, frame_.lanes, out);
}

void Worker::eval_select(const Node& n, Block& out) {
  Temporary condition(*this);
  eval(n.args[0], *condition);
  bool uniform = condition->exact;
  for (int lane = 1; lane < frame_.lanes && uniform; ++lane) {
    uniform = condition->x[static_cast<std::size_t>(lane)] == condition->x[0];
  }
  if (uniform) return eval(n.args[condition->x[0] != 0 ? 1 : 2], out);
  Temporary then(*this), otherwise(*this);
  eval(n.args[1], *then);
  eval(n.args[2], *otherwise);
  select(*condition, *then, *otherwise, frame_.lanes, out);
}

double Worker::scalar_of(int index) {
  const Node& n = node(index);
  if (n.kind == NodeKind::kConst) return n.value;
  int slot = frame_.lane_slot, lanes = frame_.lanes;
  frame_.lane_slot = -1;
  frame_.lanes = 1;
  Temporary block(*this);
  eval(index, *block);
  frame_.lane_slot = slot;
  frame_.lanes = lanes;
  return block->x[0];
}

std::int64_t Worker::subscript_at(const Subscript& s) {
  std::int64_t value = s.constant;
  for (Slots left = s.affine; left != 0; left &= left - 1) {
    auto slot = static_cast<std::size_t>(__builtin_ctzll(left));
    value += s.coefficients[slot] * frame_.index[slot];
  }
  return s.node < 0 ? value : value + static_cast<std::int64_t>(scalar_of(s.node));
}

void Worker::load(const Node& n, Block& out) {
  const TensorView& view = tensors_[static_cast<std::size_t>(n.tensor)];
  std::int64_t offset = 0, step = 0;
  for (std::size_t axis = 0; axis < n.subscripts.size(); ++axis) {
    const Subscript& s = n.subscripts[axis];
    std::int64_t per_lane =
        frame_.lane_slot >= 0 ? s.coefficients[static_cast<std::size_t>(frame_.lane_slot)] : 0;
    bool curved = s.node >= 0 && varies(node(s.node));
    if (curved) return load_by_lane(n, out);
    std::int64_t first = subscript_at(s), last = first + per_lane * (frame_.lanes - 1);
    // Only branches that are not taken may point outside.
    if (std::min(first, last) < 0 || std::max(first, last) >= view.sizes[axis]) {
      return load_by_lane(n, out);
    }
    offset += first * view.steps[axis];
    step += per_lane * view.steps[axis];
  }
  out.exact = true;
  load_elements(view, offset, step, static_cast<std::size_t>(frame_.lanes), out.x.data());
  mark_subnormals(view.dtype, frame_.lanes, out);
}

void Worker::load_by_lane(const Node& n, Block& out) {
  const TensorView& view = tensors_[static_cast<std::size_t>(n.tensor)];
  Frame saved = frame_;
  out.exact = true;
  for (int lane = 0; lane < saved.lanes; ++lane) {
    frame_.lane_slot = -1;
    frame_.lanes = 1;
    if (saved.lane_slot >= 0) {
      auto slot = static_cast<std::size_t>(saved.lane_slot);
      frame_.index[slot] = saved.index[slot] + lane;
    }
    std::int64_t offset = 0;
    bool inside = true;
    for (std::size_t axis = 0; axis < n.subscripts.size(); ++axis) {
      std::int64_t at = subscript_at(n.subscripts[axis]);
      inside = inside && at >= 0 && at < view.sizes[axis];
      offset += at * view.steps[axis];
    }
    out.x[static_cast<std::size_t>(lane)] = inside ? load_element(view, offset) : 0;
  }
  frame_ = saved;
  mark_subnormals(view.dtype, frame_.lanes, out);
}

void Worker::local(const Node& n, Block& out) {
  Frame saved = frame_;
  out.exact = false;
  // A row along the last axis is kept where the access runs along it; else single elements are.
  bool by_row = false;
  if (!n.subscripts.empty()) {
    const Subscript& last = n.subscripts.back();
    Slots reduced = ~Slots{0} << frame_.statement->rank;
    Slots lane = frame_.lane_slot >= 0 ? Slots{1} << frame_.lane_slot : 0;
    by_row = ((last.affine & (reduced | lane)) != 0) || last.node >= 0;
  }
  const auto& shape = program_.instance->tensors[static_cast<std::size_t>(n.tensor)].shape;
  for (int lane = 0; lane < saved.lanes; ++lane) {
    frame_.lane_slot = -1;
    frame_.lanes = 1;
    if (saved.lane_slot >= 0) {
      auto slot = static_cast<std::size_t>(saved.lane_slot);
      frame_.index[slot] = saved.index[slot] + lane;
    }
    Key key{n.tensor};
    bool inside = true;
    for (std::size_t axis = 0; axis < n.subscripts.size(); ++axis) {
      key.push_back(subscript_at(n.subscripts[axis]));
      inside = inside && key.back() >= 0 && key.back() < shape[axis];
    }
    auto i = static_cast<std::size_t>(lane);
    if (!inside) {
      out.x[i] = out.e[i] = out.b[i] = 0;
      continue;
    }
    if (!by_row) {
      Scalar value = element_of(n, key);
      out.x[i] = value.x, out.e[i] = value.e, out.b[i] = value.b;
      continue;
    }
    std::int64_t at = key.back();
    key.pop_back();
    const Row& row = row_of(n, key);
    // The rest of the lanes, where they follow one another in this row.
    std::int64_t run = 1;
    if (saved.lane_slot >= 0 && n.subscripts.back().node < 0) {
      auto slot = static_cast<std::size_t>(saved.lane_slot);
      bool straight = n.subscripts.back().coefficients[slot] == 1;
      for (std::size_t axis = 0; axis + 1 < n.subscripts.size(); ++axis) {
        const Subscript& s = n.subscripts[axis];
        straight = straight && s.coefficients[slot] == 0 &&
                   (s.node < 0 || (node(s.node).slots >> slot & 1) == 0);
      }
      if (straight) run = std::min<std::int64_t>(saved.lanes - lane, shape.back() - at);
    }
    auto first = static_cast<std::ptrdiff_t>(at);
    std::copy_n(row.x.begin() + first, run, out.x.begin() + lane);
    std::copy_n(row.e.begin() + first, run, out.e.begin() + lane);
    std::copy_n(row.b.begin() + first, run, out.b.begin() + lane);
    lane += static_cast<int>(run) - 1;
  }
  frame_ = saved;
}

const Worker::Row& Worker::row_of(const Node& n, const Key& key) {
  auto known = rows_.find(key);
  if (known != rows_.end()) return known->second;
  const auto& shape = program_.instance->tensors[static_cast<std::size_t>(n.tensor)].shape;
  auto length = static_cast<std::size_t>(shape.back());
  if ((rows_.size() + 1) * length * 24 > kMostRowBytes) rows_.clear();
  Row row{std::vector<double>(length), std::vector<double>(length), std::vector<double>(length)};
  std::vector<std::int64_t> index(key.begin() + 1, key.end());
  index.push_back(0);
  int statement = program_.statement_of[static_cast<std::size_t>(n.tensor)];
  Temporary block(*this);
  for (std::size_t at = 0; at < length; at += kLanes) {
    int count = static_cast<int>(std::min<std::size_t>(kLanes, length - at));
    index.back() = static_cast<std::int64_t>(at);
    evaluate(statement, index, count, *block);
    block->make_inexact();
    auto first = static_cast<std::ptrdiff_t>(at);
    std::copy_n(block->x.begin(), count, row.x.begin() + first);
    std::copy_n(block->e.begin(), count, row.e.begin() + first);
    std::copy_n(block->b.begin(), count, row.b.begin() + first);
  }
  return rows_.emplace(key, std::move(row)).first->second;
}

Worker::Scalar Worker::element_of(const Node& n, const Key& key) {
  auto known = scalars_.find(key);
  if (known != scalars_.end()) return known->second;
  if (scalars_.size() > kMostScalars) scalars_.clear();
  int statement = program_.statement_of[static_cast<std::size_t>(n.tensor)];
  Temporary block(*this);
  evaluate(statement, {key.begin() + 1, key.end()}, 1, *block);
  Scalar value{block->x[0], block->exact ? 0 : block->e[0], block->exact ? 0 : block->b[0]};
  scalars_.emplace(key, value);
  return value;
}

}  // namespace tileops::certify::oracle
