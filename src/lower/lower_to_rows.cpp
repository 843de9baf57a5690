// Scalar program to row program: what does not vary along the row is hoisted, reductions first.
#include <algorithm>
#include <map>

#include "lower/collapse_axes.h"
#include "lower/row_program.h"
#include "spec/names.h"

namespace tileops::lower {

std::int64_t RowProgram::rows() const {
  std::int64_t product = 1;
  for (std::int64_t size : outer_sizes) product *= size;
  return product;
}

bool RowProgram::has_reductions() const {
  return std::any_of(steps.begin(), steps.end(),
                     [](const RowStep& s) { return s.kind == RowStep::Kind::kReduce; });
}

namespace {

struct NotRows {
  std::string why;
};

bool is_row_dtype(DType dtype) {
  return dtype == DType::kFloat32 || dtype == DType::kFloat16 || dtype == DType::kBFloat16;
}

class RowLowerer {
 public:
  RowLowerer(ScalarProgram program,
             OutputProgram output,
             const std::vector<std::string>& primitives)
      : program_(std::move(program)), output_(std::move(output)), primitives_(primitives) {}

  RowProgram run() {
    collapse_axes(program_, output_);
    if (!is_row_dtype(output_.dtype)) throw NotRows{"the output is not a float of 16 or 32 bits"};
    if (output_.axes.empty()) {
      lane_ = -1;
      rows_.columns = 1;
    } else {
      lane_ = output_.axes.back();
      rows_.columns = size(lane_);
      rows_.output_lane_step = output_.steps.back();
      for (std::size_t i = 0; i + 1 < output_.axes.size(); ++i) {
        rows_.outer_sizes.push_back(size(output_.axes[i]));
        rows_.output_outer_steps.push_back(output_.steps[i]);
      }
    }
    rows_.output = output_.output;
    rows_.output_dtype = output_.dtype;
    RowStep store;
    store.kind = RowStep::Kind::kStore;
    store.length = rows_.columns;
    Block block{lane_, {}, {}};
    store.source = operand(output_.value, block);
    store.code = std::move(block.code);
    rows_.registers = std::max(rows_.registers, static_cast<int>(block.registers.size()));
    rows_.steps.push_back(std::move(store));
    fuse_memory(rows_);
    return std::move(rows_);
  }

 private:
  /// Code under construction over the elements of one variable.
  struct Block {
    int lane;
    std::vector<RowInstruction> code;
    std::map<int, int> registers;  ///< by value
  };

  std::int64_t size(int var) const { return program_.vars[static_cast<std::size_t>(var)].size; }
  static bool varies(const Value& v, int lane) { return lane >= 0 && (v.vars >> lane & 1) != 0; }

  Operand operand(int value, Block& block) {
    const Value& v = program_.at(value);
    if (!varies(v, block.lane)) return {true, scalar(value)};
    auto known = block.registers.find(value);
    if (known != block.registers.end()) return {false, known->second};
    RowInstruction made = instruction(value, block);
    made.result = static_cast<int>(block.registers.size());
    block.registers[value] = made.result;
    block.code.push_back(made);
    return {false, made.result};
  }

  RowInstruction instruction(int value, Block& block) {
    const Value& v = program_.at(value);
    RowInstruction out;
    bool number = v.type == spec::Type::kFloat || v.type == spec::Type::kBool;
    if (!number && v.kind != Kind::kConst) throw NotRows{"it computes with integers"};
    switch (v.kind) {
      case Kind::kConst:
        out.code = RowInstruction::Code::kConst;
        out.constant = v.constant;
        return out;
      case Kind::kLoad:
        out.code = RowInstruction::Code::kLoad;
        out.load = load(v, block.lane);
        return out;
      case Kind::kApply:
        out.code = RowInstruction::Code::kApply;
        out.op = v.op;
        break;
      case Kind::kSelect:
        out.code = RowInstruction::Code::kSelect;
        break;
      case Kind::kRound:
        out.code = RowInstruction::Code::kRound;
        out.dtype = v.dtype;
        out.saturate = v.saturate;
        if (!is_row_dtype(v.dtype))
          throw NotRows{"it rounds to " + std::string(dtype_name(v.dtype))};
        break;
      case Kind::kCall:
        if (std::find(primitives_.begin(), primitives_.end(), v.function) == primitives_.end()) {
          return instruction(v.expansion, block);
        }
        out.code = RowInstruction::Code::kCall;
        out.function = v.function;
        break;
      case Kind::kReduce:
        throw NotRows{"a reduction varies along the row"};
      case Kind::kVar:
        throw NotRows{"it computes with integers"};
    }
    for (int arg : v.args) out.args.push_back(operand(arg, block));
    return out;
  }

  int load(const Value& v, int lane) {
    if (!v.computed.empty()) throw NotRows{"an access is not affine"};
    RowLoad out;
    out.input = v.input;
    out.dtype = program_.input_dtypes[static_cast<std::size_t>(v.input)];
    if (!is_row_dtype(out.dtype)) throw NotRows{"an input is not a float of 16 or 32 bits"};
    out.base = v.base;
    out.lane_step = lane >= 0 ? v.steps[static_cast<std::size_t>(lane)] : 0;
    Vars covered = lane >= 0 ? Vars{1} << lane : 0;
    for (std::size_t i = 0; i + 1 < output_.axes.size(); ++i) {
      out.outer_steps.push_back(v.steps[static_cast<std::size_t>(output_.axes[i])]);
      covered |= Vars{1} << output_.axes[i];
    }
    for (std::size_t var = 0; var < program_.vars.size(); ++var) {
      if (v.steps[var] != 0 && (covered >> var & 1) == 0) {
        throw NotRows{"a reduction varies along the row"};
      }
    }
    rows_.loads.push_back(std::move(out));
    return static_cast<int>(rows_.loads.size()) - 1;
  }

  /// A number of the row, made by a step of its own.
  int scalar(int value) {
    auto known = scalars_.find(value);
    if (known != scalars_.end()) return known->second;
    const Value& v = program_.at(value);
    if (lane_ >= 0 && (v.vars >> lane_ & 1)) throw NotRows{"a reduction varies along the row"};
    if (v.kind == Kind::kCall &&
        std::find(primitives_.begin(), primitives_.end(), v.function) == primitives_.end()) {
      return scalars_[value] = scalar(v.expansion);
    }
    RowStep step;
    if (v.kind == Kind::kReduce) {
      step = reduction(v);
    } else {
      Block none{-1, {}, {}};
      RowInstruction made = instruction(value, none);
      step.kind = RowStep::Kind::kScalar;
      made.result = rows_.scalars++;
      step.result = made.result;
      step.code.push_back(std::move(made));
    }
    scalars_[value] = step.result;
    int result = step.result;
    rows_.steps.push_back(std::move(step));
    return result;
  }

  RowStep reduction(const Value& v) {
    switch (v.reduce) {
      case spec::ReduceOp::kSum:
      case spec::ReduceOp::kMean:
      case spec::ReduceOp::kMax:
      case spec::ReduceOp::kMin:
      case spec::ReduceOp::kProd:
        break;
      default:
        throw NotRows{"the reduction `" + std::string(spec::reduce_name(v.reduce)) +
                      "` has no row form"};
    }
    if (v.over.size() != 1 || size(v.over[0]) < 0) {
      throw NotRows{"a reduction runs over axes that do not collapse into one"};
    }
    if (v.otherwise >= 0 && size(v.over[0]) == 0) throw NotRows{"a reduction over nothing"};
    if (v.otherwise >= 0 && v.filter >= 0) throw NotRows{"a filtered reduction has an `else`"};
    Block block{v.over[0], {}, {}};
    RowStep step;
    step.kind = RowStep::Kind::kReduce;
    step.reduce = v.reduce;
    step.length = size(v.over[0]);
    step.source = operand(v.body, block);
    if (v.filter >= 0) {
      Operand kept = operand(v.filter, block);
      if (kept.scalar) throw NotRows{"a filter does not vary along its reduction"};
      step.filter = kept.index;
    }
    step.code = std::move(block.code);
    rows_.registers = std::max(rows_.registers, static_cast<int>(block.registers.size()));
    step.result = rows_.scalars++;
    return step;
  }

  ScalarProgram program_;
  OutputProgram output_;
  const std::vector<std::string>& primitives_;
  int lane_ = -1;
  RowProgram rows_;
  std::map<int, int> scalars_;
};

}  // namespace

RowLowering lower_to_rows(const ScalarProgram& program,
                          const OutputProgram& output,
                          const std::vector<std::string>& primitives) {
  try {
    return {RowLowerer(program, output, primitives).run(), {}};
  } catch (const NotRows& no) {
    return {std::nullopt, no.why};
  }
}

}  // namespace tileops::lower
