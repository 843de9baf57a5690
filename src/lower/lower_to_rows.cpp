// Scalar program to row program: what does not vary along the row is hoisted, reductions first.
#include <algorithm>
#include <cstdlib>
#include <map>

#include "lower/collapse_axes.h"
#include "lower/row_program.h"
#include "spec/names.h"

namespace tileops::lower {

std::int64_t RowProgram::rows() const {
  std::int64_t product = 1;
  for (std::size_t i = 0; i < shared_axes; ++i) product *= outer_sizes[i];
  return product;
}

std::int64_t RowProgram::inner_rows() const {
  std::int64_t product = 1;
  for (std::size_t i = shared_axes; i < outer_sizes.size(); ++i) product *= outer_sizes[i];
  return product;
}

std::int64_t RowProgram::work() const {
  double row = static_cast<double>(columns) * static_cast<double>(inner_rows());
  for (const RowStep& step : steps) {
    double part = step.kind == RowStep::Kind::kStore ? 0 : static_cast<double>(step.length);
    for (std::int64_t size : step.loops) part *= static_cast<double>(size);
    row += part;
  }
  return static_cast<std::int64_t>(std::min(0x1p62, row * static_cast<double>(rows())));
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
    choose_axes();
    rows_.output = output_.output;
    rows_.output_dtype = output_.dtype;
    RowStep store;
    store.kind = RowStep::Kind::kStore;
    store.length = rows_.columns;
    lower_reductions_first();
    Block block = block_over(lane_, {}, true);
    store.source = operand(output_.value, block);
    finish(block, store);
    rows_.steps.push_back(std::move(store));
    fuse_memory(rows_);
    return std::move(rows_);
  }

 private:
  /// Code under construction over the elements of one variable, maybe within loops over others.
  struct Block {
    int lane;
    std::vector<int> loops;
    Vars moving;   ///< lane and loops
    bool columns;  ///< over the output's columns, as the store is
    std::vector<RowInstruction> code;
    std::vector<int> loads;
    std::map<int, int> registers;  ///< by value
  };

  std::int64_t size(int var) const { return program_.vars[static_cast<std::size_t>(var)].size; }
  static Vars bit(int var) { return var < 0 ? 0 : Vars{1} << var; }

  Block block_over(int lane, std::vector<int> loops, bool columns) const {
    Vars moving = bit(lane);
    for (int var : loops) moving |= bit(var);
    return {lane, std::move(loops), moving, columns, {}, {}, {}};
  }

  void finish(Block& block, RowStep& step) const {
    step.code = std::move(block.code);
    step.loads = std::move(block.loads);
    for (int var : block.loops) step.loops.push_back(size(var));
  }

  /// Registers of code over the columns are all different, since what is reduced across stays.
  int new_register(const Block& block) {
    const int made = block.columns ? column_registers_++ : static_cast<int>(block.registers.size());
    rows_.registers = std::max(rows_.registers, made + 1);
    return made;
  }

  std::int64_t distance(const Value& load, int var) const {
    return std::abs(load.steps[static_cast<std::size_t>(var)]);
  }

  /// The reductions that vary along an axis of the output, with the loads inside them.
  template <class F>
  void for_each_load_in_reductions(int var, F f) const {
    for (int index : needed_values(program_, output_.value)) {
      const Value& v = program_.at(index);
      if (v.kind != Kind::kReduce || (v.vars & bit(var)) == 0) continue;
      for (int inner : needed_values(program_, v.body)) {
        if (program_.at(inner).kind == Kind::kLoad) f(v, program_.at(inner));
      }
    }
  }

  /// Columns are the output's last axis, unless reductions run along memory and it does not.
  void choose_axes() {
    lane_ = output_.axes.empty() ? -1 : output_.axes.back();
    bool along_memory = false;
    for_each_load_in_reductions(lane_, [&](const Value& reduce, const Value& load) {
      for (int var : reduce.over) {
        along_memory = along_memory ||
                       (distance(load, lane_) > distance(load, var) && distance(load, var) != 0);
      }
    });
    if (along_memory) lane_ = -1;
    rows_.columns = lane_ < 0 ? 1 : size(lane_);
    if (lane_ >= 0) rows_.output_lane_step = output_.steps.back();
    // Axes that reductions across the rows depend on come first.
    Vars shared = 0;
    bool across = false;
    for (int index : needed_values(program_, output_.value)) {
      const Value& v = program_.at(index);
      if (lane_ < 0 || v.kind != Kind::kReduce || (v.vars & bit(lane_)) == 0) continue;
      across = true;
      shared |= v.vars;
    }
    for (const bool first : {true, false}) {
      for (std::size_t i = 0; i < output_.axes.size(); ++i) {
        const int var = output_.axes[i];
        const bool is_shared = !across || (shared & bit(var)) != 0;
        if (var == lane_ || is_shared != first) continue;
        outer_.push_back(var);
        rows_.outer_sizes.push_back(size(var));
        rows_.output_outer_steps.push_back(output_.steps[i]);
      }
      if (first) rows_.shared_axes = outer_.size();
    }
  }

  Operand operand(int value, Block& block) {
    const Value& v = program_.at(value);
    if (v.kind == Kind::kReduce && (v.vars & bit(lane_)) != 0) return {false, across(value)};
    if ((v.vars & (block.moving | bit(block.columns ? lane_ : -1))) == 0) {
      return {true, scalar(value)};
    }
    auto known = block.registers.find(value);
    if (known != block.registers.end()) return {false, known->second};
    RowInstruction made;
    if (!block.columns || !read_kept(value, made)) made = instruction(value, block);
    made.result = new_register(block);
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
        out.load = load(v, block);
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

  int load(const Value& v, Block& block) {
    if (!v.computed.empty()) throw NotRows{"an access is not affine"};
    RowLoad out;
    out.input = v.input;
    out.dtype = program_.input_dtypes[static_cast<std::size_t>(v.input)];
    if (!is_row_dtype(out.dtype)) throw NotRows{"an input is not a float of 16 or 32 bits"};
    out.base = v.base;
    auto step = [&](int var) { return v.steps[static_cast<std::size_t>(var)]; };
    if (block.lane >= 0) out.lane_step = step(block.lane);
    Vars covered = block.moving;
    for (int var : block.loops) out.loop_steps.push_back(step(var));
    for (int var : outer_) {
      out.outer_steps.push_back(step(var));
      covered |= bit(var);
    }
    for (std::size_t var = 0; var < program_.vars.size(); ++var) {
      if (v.steps[var] != 0 && (covered >> var & 1) == 0) {
        throw NotRows{"a reduction varies along the row"};
      }
    }
    rows_.loads.push_back(std::move(out));
    block.loads.push_back(static_cast<int>(rows_.loads.size()) - 1);
    return block.loads.back();
  }

  /// A number of the row, made by a step of its own.
  int scalar(int value) {
    auto known = scalars_.find(value);
    if (known != scalars_.end()) return known->second;
    const Value& v = program_.at(value);
    if ((v.vars & bit(lane_)) != 0) throw NotRows{"a reduction varies along the row"};
    for (std::size_t i = rows_.shared_axes; i < outer_.size(); ++i) {
      if (v.vars & bit(outer_[i])) throw NotRows{"a number varies within what shares a reduction"};
    }
    if (v.kind == Kind::kCall &&
        std::find(primitives_.begin(), primitives_.end(), v.function) == primitives_.end()) {
      return scalars_[value] = scalar(v.expansion);
    }
    RowStep step;
    if (v.kind == Kind::kReduce) {
      step = reduction(v);
    } else {
      Block none = block_over(-1, {}, false);
      RowInstruction made = instruction(value, none);
      step.kind = RowStep::Kind::kScalar;
      made.result = rows_.scalars++;
      step.result = made.result;
      step.code.push_back(std::move(made));
      step.loads = std::move(none.loads);
    }
    scalars_[value] = step.result;
    int result = step.result;
    rows_.steps.push_back(std::move(step));
    return result;
  }

  static void check_reduction(const Value& v) {
    switch (v.reduce) {
      case spec::ReduceOp::kSum:
      case spec::ReduceOp::kMean:
      case spec::ReduceOp::kMax:
      case spec::ReduceOp::kMin:
      case spec::ReduceOp::kProd:
        return;
      default:
        throw NotRows{"the reduction `" + std::string(spec::reduce_name(v.reduce)) +
                      "` has no row form"};
    }
  }

  /// The axis of a reduction whose elements lie closest together in memory.
  int closest(const Value& v) const {
    auto score = [&](int var) {
      std::int64_t sum = 0;
      for (int inner : needed_values(program_, v.body)) {
        const Value& load = program_.at(inner);
        if (load.kind == Kind::kLoad) sum += std::min<std::int64_t>(distance(load, var), 1 << 30);
      }
      return sum;
    };
    if (v.over.empty()) return -1;
    int best = v.over.back();
    for (int var : v.over) {
      if (size(var) > 1 && score(var) != 0 && score(var) < score(best)) best = var;
    }
    return best;
  }

  /// To a number.
  RowStep reduction(const Value& v) {
    check_reduction(v);
    std::vector<int> loops = v.over;
    const int lane = closest(v);
    std::erase(loops, lane);
    RowStep step;
    step.kind = RowStep::Kind::kReduce;
    step.reduce = v.reduce;
    step.length = lane < 0 ? 1 : size(lane);
    fill(v, block_over(lane, std::move(loops), false), step);
    step.result = rows_.scalars++;
    const bool whole = step.loops.empty() && step.filter < 0 && step.length == rows_.columns;
    const bool fits = rows_.columns > 1 && rows_.columns <= kMostKept;
    if (whole && fits && is_dear(v.body)) keepable_.push_back({v.body, lane, step.result});
    return step;
  }

  /// What a reduction computes and the store needs again is kept, where it is dear.
  void lower_reductions_first() {
    const std::vector<int> needed = needed_values(program_, output_.value);
    Vars moving = bit(lane_);
    for (int index : needed) {
      for (int var : program_.at(index).over) moving |= bit(var);
    }
    for (int index : needed) {
      const Value& v = program_.at(index);
      if (v.kind == Kind::kReduce && (v.vars & moving) == 0) scalar(index);
    }
  }

  bool is_dear(int value) const {
    const Value& v = program_.at(value);
    const bool function =
        v.kind == Kind::kCall || (v.kind == Kind::kApply && v.op >= spec::Op::kSqrt);
    return function ||
           std::any_of(v.args.begin(), v.args.end(), [&](int arg) { return is_dear(arg); });
  }

  bool read_kept(int value, RowInstruction& out) {
    for (const Keepable& row : keepable_) {
      if (!same_but(value, row.body, lane_, row.var)) continue;
      auto step = std::find_if(rows_.steps.begin(), rows_.steps.end(), [&](const RowStep& x) {
        return x.kind == RowStep::Kind::kReduce && x.result == row.number;
      });
      if (step == rows_.steps.end()) continue;
      if (step->keeps < 0) step->keeps = rows_.kept_rows++;
      out.code = RowInstruction::Code::kKept;
      out.load = step->keeps;
      return true;
    }
    return false;
  }

  /// Is `a` over variable `x` what `b` is over `y`?
  bool same_but(int a, int b, int x, int y) const {
    if (a < 0 || b < 0) return a == b;
    const Value &p = program_.at(a), &q = program_.at(b);
    if (a == b) return (p.vars & (bit(x) | bit(y))) == 0;
    if (p.kind != q.kind || p.type != q.type || p.args.size() != q.args.size()) return false;
    if (p.kind == Kind::kVar) return p.var == x && q.var == y;
    if (p.kind == Kind::kLoad) {
      if (p.input != q.input || p.base != q.base || !p.computed.empty() || !q.computed.empty()) {
        return false;
      }
      std::vector<std::int64_t> moved = p.steps;
      std::swap(moved[static_cast<std::size_t>(x)], moved[static_cast<std::size_t>(y)]);
      return moved == q.steps;
    }
    const bool same = p.op == q.op && p.function == q.function && p.dtype == q.dtype &&
                      p.saturate == q.saturate && p.constant == q.constant;
    if (!same || p.kind == Kind::kConst || p.kind == Kind::kReduce) return false;
    for (std::size_t i = 0; i < p.args.size(); ++i) {
      if (!same_but(p.args[i], q.args[i], x, y)) return false;
    }
    return true;
  }

  /// To a register that has the columns' values; the step stands before those that read it.
  int across(int value) {
    auto known = across_.find(value);
    if (known != across_.end()) return known->second;
    const Value& v = program_.at(value);
    check_reduction(v);
    if (v.filter >= 0 && v.reduce == spec::ReduceOp::kMean) {
      throw NotRows{"a filtered mean varies along the row"};
    }
    RowStep step;
    step.kind = RowStep::Kind::kReduceAcross;
    step.reduce = v.reduce;
    step.length = rows_.columns;
    Block block = block_over(lane_, v.over, true);
    fill(v, std::move(block), step);
    step.result = column_registers_++;
    rows_.registers = std::max(rows_.registers, step.result + 1);
    across_[value] = step.result;
    rows_.steps.push_back(std::move(step));
    return across_[value];
  }

  void fill(const Value& v, Block block, RowStep& step) {
    std::int64_t count = 1;
    for (int var : v.over) {
      if (size(var) < 0) throw NotRows{"a reduction's range varies"};
      count *= size(var);
    }
    if (v.otherwise >= 0 && count == 0) throw NotRows{"a reduction over nothing"};
    if (v.otherwise >= 0 && v.filter >= 0) throw NotRows{"a filtered reduction has an `else`"};
    step.source = operand(v.body, block);
    if (v.filter >= 0) {
      Operand kept = operand(v.filter, block);
      if (kept.scalar) throw NotRows{"a filter does not vary along its reduction"};
      step.filter = kept.index;
    }
    finish(block, step);
  }

  static constexpr std::int64_t kMostKept = 1 << 17;  // floats: half a megabyte, in L2
  struct Keepable {
    int body, var, number;
  };

  ScalarProgram program_;
  OutputProgram output_;
  const std::vector<std::string>& primitives_;
  int lane_ = -1;           ///< the variable of the columns
  std::vector<int> outer_;  ///< variables of the outer axes
  RowProgram rows_;
  std::map<int, int> scalars_, across_;  ///< numbers and registers, by value
  std::vector<Keepable> keepable_;
  int column_registers_ = 0;
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
