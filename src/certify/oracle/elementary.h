// Error rules of operators of one element (docs/tolerance.md, "Elementary operations").
#pragma once

#include <span>

#include "certify/oracle/block.h"
#include "certify/oracle/program.h"

namespace tileops::certify::oracle {

struct Rounding {
  double unit = 0x1p-24;      ///< of the arithmetic (accumulate)
  double function = 0x1p-22;  ///< of functions
  double half_range = 0x1p+127;
  double smallest = 0x1p-126;  ///< below it results may be flushed to zero
  bool truncating = false;     ///< matrix units that truncate
};

/// out = op(args) over `lanes` lanes.
void apply(const Node& node,
           std::span<const Block* const> args,
           const Rounding& rounding,
           int lanes,
           Block& out);
/// Rounding to a storage type as part of the contract.
void round_block(const Node& node, const Block& value, int lanes, Block& out);

}  // namespace tileops::certify::oracle
