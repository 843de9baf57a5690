// An instance as nodes that can be evaluated: names are slots, equal expressions one node, and each
// node knows the indices that it depends on. Knows nothing of errors or data.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "spec/instance.h"

namespace tileops::certify::oracle {

inline constexpr int kMaxSlots = 48;  ///< indices of one statement, reductions included

using Slots = std::uint64_t;  ///< a set of slots

enum class NodeKind : std::uint8_t {
  kConst,
  kIndex,
  kInput,
  kLocal,
  kApply,
  kSelect,
  kRound,
  kReduce,
};

/// A subscript: constant + sum of coefficient * index + (maybe) a node of another form.
struct Subscript {
  std::int64_t constant = 0;
  std::array<std::int64_t, kMaxSlots> coefficients{};
  int node = -1;
  Slots affine = 0;  ///< slots with a coefficient
};

struct Range {
  int slot = 0;
  int lo = -1, hi = -1;  ///< nodes
};

struct Node {
  NodeKind kind = NodeKind::kConst;
  spec::Type type = spec::Type::kFloat;
  Slots slots = 0;
  bool exact = true;  ///< carries no error: constants, inputs, and integer arithmetic on them
  double value = 0;   ///< kConst
  int slot = 0;       ///< kIndex
  spec::Op op = spec::Op::kAdd;
  DType dtype = DType::kFloat32;  ///< kRound
  bool saturate = false;
  std::vector<int> args;  ///< kApply, kSelect (condition, then, otherwise), kRound
  int tensor = -1;        ///< kInput, kLocal: position in Instance::tensors
  std::vector<Subscript> subscripts;
  spec::ReduceOp reduce = spec::ReduceOp::kSum;
  spec::Ties ties = spec::Ties::kUnset;
  spec::NanRule nan = spec::NanRule::kUnset;
  std::vector<Range> ranges;
  int body = -1, filter = -1, otherwise = -1;
  std::vector<int> invariants;  ///< kReduce: parts of the body with errors that do not vary in it
};

/// One statement: its target's element is `value` where `domain` (-1: everywhere) holds.
struct StatementProgram {
  int tensor = -1;
  int rank = 0;  ///< the target's indices are slots 0 .. rank-1
  int slot_count = 0;
  int value = -1, domain = -1;
  double round_to = 0;  ///< unit roundoff of a type that a kernel may round this local to; 0: none
};

struct Program {
  std::shared_ptr<const spec::Instance> instance;
  std::vector<Node> nodes;
  std::vector<StatementProgram> statements;  ///< in order of dependence
  std::vector<int> statement_of;             ///< by tensor; -1: an input
  double function_roundoff(spec::Op op) const;
};

/// Throws Error(kNotImplemented) naming what cannot be evaluated.
Program compile(std::shared_ptr<const spec::Instance> instance);

/// Half a unit in the last place, relative: 2^-24 for float32.
double unit_roundoff(DType dtype);

}  // namespace tileops::certify::oracle
