// Row programs as text: `tileops show OP --after=rows`.
#include "lower/row_program.h"
#include "spec/names.h"
#include "spec/print_expr.h"

namespace tileops::lower {
namespace {

std::string name(const Operand& operand) {
  return (operand.scalar ? "s" : "r") + std::to_string(operand.index);
}

std::string text(const RowProgram& program, const RowInstruction& x) {
  std::string args;
  for (const Operand& arg : x.args) args += (args.empty() ? "" : ", ") + name(arg);
  switch (x.code) {
    case RowInstruction::Code::kConst:
      return spec::print_float(x.constant);
    case RowInstruction::Code::kLoad: {
      const RowLoad& load = program.loads[static_cast<std::size_t>(x.load)];
      std::string place = std::to_string(load.base);
      for (std::size_t axis = 0; axis < load.outer_steps.size(); ++axis) {
        place += " + " + std::to_string(load.outer_steps[axis]) + "*i" + std::to_string(axis);
      }
      for (std::size_t loop = 0; loop < load.loop_steps.size(); ++loop) {
        place += " + " + std::to_string(load.loop_steps[loop]) + "*j" + std::to_string(loop);
      }
      return "load input" + std::to_string(load.input) + "[" + place + " + " +
             std::to_string(load.lane_step) + "*lane]";
    }
    case RowInstruction::Code::kKept:
      return "kept" + std::to_string(x.load) + "[lane]";
    case RowInstruction::Code::kApply:
      return std::string(spec::op_name(x.op)) + "(" + args + ")";
    case RowInstruction::Code::kSelect:
      return "select(" + args + ")";
    case RowInstruction::Code::kCall:
      return x.function + "(" + args + ")";
    case RowInstruction::Code::kRound:
      return "round_to(" + std::string(dtype_name(x.dtype)) + ", " + args + ")";
  }
  return "";
}

}  // namespace

std::string print(const RowProgram& program) {
  std::string out = "rows " + shape_text(program.outer_sizes);
  if (program.inner_rows() != 1) {
    out += ", of which " + std::to_string(program.inner_rows()) + " share reductions";
  }
  out += " of " + std::to_string(program.columns) + "\n";
  for (const RowStep& step : program.steps) {
    if (step.kind == RowStep::Kind::kScalar) {
      out += "s" + std::to_string(step.result) + " = " + text(program, step.code.front()) + "\n";
      continue;
    }
    out += "over " + std::to_string(step.length) + " elements";
    if (!step.loops.empty()) out += " in loops " + shape_text(step.loops);
    out += "\n";
    for (const RowInstruction& x : step.code) {
      out += "  r" + std::to_string(x.result) + " = " + text(program, x) + "\n";
    }
    if (step.kind != RowStep::Kind::kStore) {
      const char* result = step.kind == RowStep::Kind::kReduce ? "  s" : "  r";
      std::string filter = step.filter >= 0 ? " where r" + std::to_string(step.filter) : "";
      out += result + std::to_string(step.result) + " = " +
             std::string(spec::reduce_name(step.reduce)) + "(" + name(step.source) + filter + ")\n";
      if (step.keeps >= 0)
        out += "  kept" + std::to_string(step.keeps) + " = " + name(step.source) + "\n";
    } else {
      out += "  store output" + std::to_string(program.output) + " " + name(step.source) + "\n";
    }
  }
  return out;
}

}  // namespace tileops::lower
