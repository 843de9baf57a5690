// Scalar programs as text: `tileops show OP --after=scalar`.
#include "lower/scalar_program.h"
#include "spec/names.h"
#include "spec/print_expr.h"

namespace tileops::lower {
namespace {

std::string name(int value) {
  return "%" + std::to_string(value);
}

std::string place(const ScalarProgram& program, const Value& load) {
  std::string out = "input" + std::to_string(load.input) + "[" + std::to_string(load.base);
  for (std::size_t var = 0; var < program.vars.size() && var < load.steps.size(); ++var) {
    if (load.steps[var] == 0) continue;
    out += " + " + std::to_string(load.steps[var]) + "*" + program.vars[var].name;
  }
  for (const auto& [value, step] : load.computed) {
    out += " + " + std::to_string(step) + "*" + name(value);
  }
  return out + "]";
}

std::string text(const ScalarProgram& program, const Value& v) {
  std::string args;
  for (int arg : v.args) args += (args.empty() ? "" : ", ") + name(arg);
  switch (v.kind) {
    case Kind::kConst:
      return v.type == spec::Type::kInt ? std::to_string(v.integer) : spec::print_float(v.constant);
    case Kind::kVar:
      return program.vars[static_cast<std::size_t>(v.var)].name;
    case Kind::kLoad:
      return place(program, v);
    case Kind::kApply:
      return std::string(spec::op_name(v.op)) + "(" + args + ")";
    case Kind::kSelect:
      return "select(" + args + ")";
    case Kind::kCall:
      return v.function + "(" + args + ")";
    case Kind::kRound:
      return "round_to(" + std::string(dtype_name(v.dtype)) + ", " + args + ")";
    case Kind::kReduce: {
      std::string over;
      for (int var : v.over) {
        const Var& axis = program.vars[static_cast<std::size_t>(var)];
        over += (over.empty() ? "" : ", ") + axis.name + " < " + std::to_string(axis.size);
      }
      std::string filter = v.filter >= 0 ? " | " + name(v.filter) : "";
      return std::string(spec::reduce_name(v.reduce)) + "(" + over + filter + ": " + name(v.body) +
             ")";
    }
  }
  return "";
}

}  // namespace

std::string print(const ScalarProgram& program) {
  std::string out;
  for (std::size_t i = 0; i < program.values.size(); ++i) {
    out += name(static_cast<int>(i)) + " = " + text(program, program.values[i]) + "\n";
  }
  for (const OutputProgram& output : program.outputs) {
    out += "output" + std::to_string(output.output) + "[";
    for (std::size_t i = 0; i < output.axes.size(); ++i) {
      const Var& axis = program.vars[static_cast<std::size_t>(output.axes[i])];
      out += (i ? ", " : "") + axis.name + " < " + std::to_string(axis.size);
    }
    out += "] = " + name(output.value) + "\n";
  }
  return out;
}

}  // namespace tileops::lower
