// Evaluates nodes of a program in blocks. One worker a thread; it keeps rows of locals, values of
// reductions and packed panels for as long as its inputs stay bound.
#pragma once

#include <memory>
#include <unordered_map>
#include <vector>

#include "certify/oracle/block.h"
#include "certify/oracle/elementary.h"
#include "certify/oracle/program.h"
#include "certify/oracle/sum.h"
#include "tileops/tensor.h"

namespace tileops::certify::oracle {

class Worker {
 public:
  Worker(const Program& program, std::vector<TensorView> tensors, Rounding rounding);

  /// `count` elements of a statement's target along its last axis, from `index` on.
  void evaluate(int statement, const std::vector<std::int64_t>& index, int count, Block& out);

 private:
  /// Where a statement is evaluated: values of its indices; one of them may run over lanes.
  struct Frame {
    std::array<std::int64_t, kMaxSlots> index{};
    int lane_slot = -1;
    int lanes = 1;
    const StatementProgram* statement = nullptr;
  };
  using Key = std::vector<std::int64_t>;
  struct KeyHash {
    std::size_t operator()(const Key& key) const;
  };
  struct Row {
    std::vector<double> x, e, b;
  };
  struct Scalar {
    double x = 0, e = 0, b = 0;
  };
  /// A leaf packed for a sum (inner_loops.h); `values` empty: it does not lend itself to it.
  struct Panel {
    std::vector<float> values;
    double largest = 0;  ///< magnitude; nan or infinity where a value is out of the ordinary
  };
  struct Factor {
    const double *x = nullptr, *e = nullptr, *b = nullptr;  ///< e, b null: exact
    double largest = 0;
  };

  const Node& node(int index) const { return program_.nodes[static_cast<std::size_t>(index)]; }
  bool varies(const Node& n) const {
    return frame_.lane_slot >= 0 && (n.slots >> frame_.lane_slot & 1) != 0;
  }

  void eval(int index, Block& out);
  void eval_node(int index, Block& out);
  void eval_select(const Node& n, Block& out);
  double scalar_of(int index);  ///< of an exact integer that does not vary over lanes
  std::int64_t subscript_at(const Subscript& s);

  void load(const Node& n, Block& out);
  void load_by_lane(const Node& n, Block& out);
  void local(const Node& n, Block& out);
  const Row& row_of(const Node& n, const Key& key);
  Scalar element_of(const Node& n, const Key& key);
  void round_local(const StatementProgram& statement, Block& block) const;

  // reduce.cpp
  void reduce(int index, Block& out);
  Key shared_key(int index) const;
  const Block* shared_block(const Key& key);
  void reduce_over_lanes(int index, Block& out);
  void fold(int index, Accumulator& sums);
  void loop(const Node& n, std::size_t range, Accumulator& sums);
  void add_block(const Node& n, Accumulator& sums);
  void add_sensitivities(const Node& n, const Block& body, const Block* filter, Accumulator& sums);
  // products.cpp
  bool add_products_of(const Node& n, Accumulator& sums);
  bool scalar_factor(int index, int slot, std::int64_t lo, std::int64_t hi, Factor& out);
  const Panel& panel(int index, int slot, std::int64_t lo, std::int64_t hi);
  struct PanelPlace;
  bool place_panel(const Node& n, int slot, std::int64_t lo, std::int64_t hi, PanelPlace& out);

  const Program& program_;
  std::vector<TensorView> tensors_;
  Rounding rounding_;
  Frame frame_;
  std::vector<const Block*> overrides_;  ///< by node: parts whose error a sum treats by itself
  int overriding_ = 0;                   ///< how many there are
  int perturbed_ = 0;                    ///< inside a perturbed evaluation nothing is remembered
  std::vector<std::unique_ptr<Block>> blocks_;
  std::size_t used_blocks_ = 0;
  std::unordered_map<Key, Scalar, KeyHash> scalars_;
  std::unordered_map<Key, Row, KeyHash> rows_;
  std::unordered_map<Key, Block, KeyHash> shared_blocks_;
  std::unordered_map<Key, Panel, KeyHash> panels_;
  std::size_t panel_bytes_ = 0;
  std::vector<double> factor_;

  /// A block of the pool for as long as this object lives.
  class Temporary {
   public:
    explicit Temporary(Worker& worker);
    ~Temporary() { --worker_.used_blocks_; }
    Temporary(const Temporary&) = delete;
    Temporary& operator=(const Temporary&) = delete;
    Block& operator*() const { return *block_; }
    Block* operator->() const { return block_; }
    Block* get() const { return block_; }

   private:
    Worker& worker_;
    Block* block_;
  };
};

}  // namespace tileops::certify::oracle
