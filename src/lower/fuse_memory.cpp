// Loads and stores into the instructions next to them: a block then passes the first-level cache
// once less for each. The interpreter has such forms of a few hot instructions.
#include <algorithm>

#include "lower/row_program.h"

namespace tileops::lower {
namespace {

using Code = RowInstruction::Code;

bool reads_memory(const RowInstruction& x) {
  if (x.code == Code::kCall) return true;
  return x.code == Code::kApply &&
         (x.op == spec::Op::kMul || x.op == spec::Op::kSquare || x.op == spec::Op::kAdd);
}

bool writes_memory(const RowInstruction& x) {
  return x.code == Code::kApply && (x.op == spec::Op::kMul || x.op == spec::Op::kAdd);
}

/// How often a register is read, the step's own source and filter included.
int uses(const RowStep& step, int reg) {
  int count = step.filter == reg ? 2 : 0;
  if (!step.source.scalar && step.source.index == reg) count += 2;
  for (const RowInstruction& x : step.code) {
    count += static_cast<int>(std::count_if(x.args.begin(), x.args.end(), [&](const Operand& arg) {
      return !arg.scalar && arg.index == reg;
    }));
  }
  return count;
}

void fuse_loads(const RowProgram& program, RowStep& step) {
  for (RowInstruction& user : step.code) {
    if (!reads_memory(user)) continue;
    for (std::size_t i = user.args.size(); i-- > 0 && user.memory_arg < 0;) {
      if (user.args[i].scalar) continue;
      int reg = user.args[i].index;
      auto load = std::find_if(step.code.begin(), step.code.end(), [&](const RowInstruction& x) {
        return x.code == Code::kLoad && x.result == reg;
      });
      if (load == step.code.end() || uses(step, reg) != 1) continue;
      if (program.loads[static_cast<std::size_t>(load->load)].lane_step != 1) continue;
      load->in_user = true;
      user.memory_arg = static_cast<int>(i);
      user.memory_load = load->load;
    }
  }
}

}  // namespace

void fuse_memory(RowProgram& program) {
  for (RowStep& step : program.steps) {
    if (step.kind == RowStep::Kind::kScalar) continue;
    fuse_loads(program, step);
    if (step.kind != RowStep::Kind::kStore || step.code.empty()) continue;
    const RowInstruction& last = step.code.back();
    step.stores_last = writes_memory(last) && !step.source.scalar &&
                       step.source.index == last.result && program.output_lane_step == 1;
  }
}

}  // namespace tileops::lower
