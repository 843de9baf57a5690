// A scalar program of one output as work on rows: numbers that hold for a whole row, and code over
// the row's elements. This is the form that CPU kernels interpret. Knows no instruction set.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lower/scalar_program.h"

namespace tileops::lower {

/// A block of row elements (in a register of the interpreter), or one number of the row.
struct Operand {
  bool scalar = false;
  int index = -1;
};

/// Where a load reads: base + outer steps * outer indices + loop steps * indices of its step's
/// loops + lane step * element.
struct RowLoad {
  int input = -1;
  DType dtype = DType::kFloat32;
  std::int64_t base = 0;
  std::vector<std::int64_t> outer_steps, loop_steps;
  std::int64_t lane_step = 0;
};

struct RowInstruction {
  enum class Code : std::uint8_t { kConst, kLoad, kKept, kApply, kSelect, kCall, kRound };
  Code code = Code::kConst;
  spec::Op op = spec::Op::kAdd;
  std::string function;  ///< kCall: a primitive of the interpreter
  DType dtype = DType::kFloat32;
  bool saturate = false;
  double constant = 0;
  int load = -1;  ///< into RowProgram::loads; kKept: which of the kept rows
  std::vector<Operand> args;
  int result = -1;  ///< a register, or a number of the row

  // Set by fuse_memory, for whole vectors: an argument may be read where it lies.
  int memory_arg = -1;   ///< position in `args` that `memory_load` gives
  int memory_load = -1;  ///< into RowProgram::loads
  bool in_user = false;  ///< kLoad: its only user reads memory itself
};

/// One step of a row, in order: a number; a reduction of code along elements to a number; a
/// reduction across the row, which leaves its columns apart, to a register; code to the output.
struct RowStep {
  enum class Kind : std::uint8_t { kScalar, kReduce, kReduceAcross, kStore };
  Kind kind = Kind::kScalar;
  std::vector<RowInstruction> code;  ///< kScalar: one instruction
  std::int64_t length = 0;           ///< elements that the code runs over
  std::vector<std::int64_t> loops;   ///< reductions: sizes of the axes around those elements
  std::vector<int> loads;            ///< into RowProgram::loads: those of `code`
  spec::ReduceOp reduce = spec::ReduceOp::kSum;
  Operand source;            ///< what is reduced or stored
  int filter = -1;           ///< register whose 0 leaves an element out
  int result = -1;           ///< number of the row; kReduceAcross: register
  int keeps = -1;            ///< kReduce: the kept row that its source is written to, for the store
  bool stores_last = false;  ///< kStore: the last instruction may write to memory itself
};

/// Numbers hold for one index of the first `shared_axes` outer axes; so do reductions across. The
/// other axes are gone through for each block of columns.
struct RowProgram {
  std::vector<std::int64_t> outer_sizes;
  std::size_t shared_axes = 0;
  std::int64_t columns = 1;
  std::vector<RowLoad> loads;
  std::vector<RowStep> steps;
  int registers = 0, scalars = 0;
  int kept_rows = 0;  ///< rows of `columns` floats that a reduction leaves for the store
  int output = -1;
  DType output_dtype = DType::kFloat32;
  std::vector<std::int64_t> output_outer_steps;
  std::int64_t output_lane_step = 1;

  std::int64_t rows() const;        ///< over the shared axes
  std::int64_t inner_rows() const;  ///< over the others
  bool has_reductions() const;      ///< to numbers
  std::int64_t work() const;        ///< elements that its code runs over, at most 2^62
};

/// The rows of one output, or why there are none.
struct RowLowering {
  std::optional<RowProgram> program;
  std::string why_not;
};
/// `primitives`: functions of the prelude that the interpreter has as one instruction.
RowLowering lower_to_rows(const ScalarProgram& program,
                          const OutputProgram& output,
                          const std::vector<std::string>& primitives);

/// Marks loads that their only user may do itself, and last instructions that may store.
void fuse_memory(RowProgram& program);

std::string print(const RowProgram& program);

}  // namespace tileops::lower
