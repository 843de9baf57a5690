// The interpreter of row programs: blocks of 512 elements stay in the first-level cache while the
// instructions of a step run over them.
#include "backend/cpu/row_interpreter.h"

#include <hwy/aligned_allocator.h>
#include <hwy/cache_control.h>

#include <algorithm>
#include <limits>

#include "backend/cpu/scalar_function.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/row_interpreter.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "backend/cpu/math-inl.h"
#include "backend/cpu/memory-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tileops::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using lower::Operand;
using lower::RowInstruction;
using lower::RowLoad;
using lower::RowProgram;
using lower::RowStep;
using spec::Op;
using spec::ReduceOp;

constexpr std::size_t kBlock = 512;

/// A block, or one number for all of it.
struct Argument {
  const float* block;
  float number;
  HWY_INLINE V at(std::size_t i) const {
    const Floats d;
    return block ? hn::Load(d, block + i) : hn::Set(d, number);
  }
};

template <class F>
HWY_INLINE void map(std::size_t n, float* HWY_RESTRICT out, F f) {
  const Floats d;
  for (std::size_t i = 0; i < n; i += hn::Lanes(d)) hn::Store(f(i), d, out + i);
}

/// One loop for each way that two arguments may come.
template <class F>
HWY_INLINE void map2(const Argument& a, const Argument& b, std::size_t n, float* HWY_RESTRICT out,
                     F f) {
  const Floats d;
  if (a.block && b.block) {
    map(n, out, [&](std::size_t i) { return f(hn::Load(d, a.block + i), hn::Load(d, b.block + i)); });
  } else if (a.block) {
    const V number = hn::Set(d, b.number);
    map(n, out, [&](std::size_t i) { return f(hn::Load(d, a.block + i), number); });
  } else {
    const V number = hn::Set(d, a.number);
    map(n, out, [&](std::size_t i) { return f(number, b.at(i)); });
  }
}

HWY_INLINE V truth(hn::Mask<Floats> mask) {
  const Floats d;
  return hn::IfThenElseZero(mask, hn::Set(d, 1.0F));
}
HWY_INLINE V larger(V a, V b) {
  return hn::IfThenElse(hn::IsNaN(a), a, hn::IfThenElse(hn::IsNaN(b), b, hn::Max(a, b)));
}
HWY_INLINE V smaller(V a, V b) {
  return hn::IfThenElse(hn::IsNaN(a), a, hn::IfThenElse(hn::IsNaN(b), b, hn::Min(a, b)));
}

void apply_by_element(Op op, const Argument* args, std::size_t count, std::size_t n, float* out) {
  float v[3] = {};
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t a = 0; a < count; ++a) v[a] = args[a].block ? args[a].block[i] : args[a].number;
    out[i] = scalar_apply(op, {v, count});
  }
}

void apply(Op op, const Argument* args, std::size_t count, std::size_t n, float* HWY_RESTRICT out) {
  const Floats d;
  const Argument &a = args[0], &b = args[count > 1 ? 1 : 0];
  switch (op) {
    case Op::kAdd:
      return map2(a, b, n, out, [](V x, V y) { return hn::Add(x, y); });
    case Op::kSub:
      return map2(a, b, n, out, [](V x, V y) { return hn::Sub(x, y); });
    case Op::kMul:
      return map2(a, b, n, out, [](V x, V y) { return hn::Mul(x, y); });
    case Op::kDiv:
      return map2(a, b, n, out, [](V x, V y) { return hn::Div(x, y); });
    case Op::kMax:
      return map2(a, b, n, out, [](V x, V y) { return larger(x, y); });
    case Op::kMin:
      return map2(a, b, n, out, [](V x, V y) { return smaller(x, y); });
    case Op::kEq:
      return map2(a, b, n, out, [](V x, V y) { return truth(hn::Eq(x, y)); });
    case Op::kNe:
      return map2(a, b, n, out, [](V x, V y) { return truth(hn::Ne(x, y)); });
    case Op::kLt:
      return map2(a, b, n, out, [](V x, V y) { return truth(hn::Lt(x, y)); });
    case Op::kLe:
      return map2(a, b, n, out, [](V x, V y) { return truth(hn::Le(x, y)); });
    case Op::kGt:
      return map2(a, b, n, out, [](V x, V y) { return truth(hn::Gt(x, y)); });
    case Op::kGe:
      return map2(a, b, n, out, [](V x, V y) { return truth(hn::Ge(x, y)); });
    case Op::kAnd:
      return map2(a, b, n, out, [](V x, V y) { return hn::Mul(x, y); });
    case Op::kOr:
      return map2(a, b, n, out, [](V x, V y) { return hn::Max(x, y); });
    case Op::kNot:
      return map(n, out, [&](std::size_t i) { return truth(hn::Eq(a.at(i), hn::Zero(d))); });
    case Op::kNeg:
      return map(n, out, [&](std::size_t i) { return hn::Neg(a.at(i)); });
    case Op::kAbs:
      return map(n, out, [&](std::size_t i) { return hn::Abs(a.at(i)); });
    case Op::kSquare:
      return map(n, out, [&](std::size_t i) { return hn::Mul(a.at(i), a.at(i)); });
    case Op::kSqrt:
      return map(n, out, [&](std::size_t i) { return hn::Sqrt(a.at(i)); });
    case Op::kRsqrt:
      return map(n, out,
                 [&](std::size_t i) { return hn::Div(hn::Set(d, 1.0F), hn::Sqrt(a.at(i))); });
    case Op::kExp:
      return map(n, out, [&](std::size_t i) { return exp(d, a.at(i)); });
    default:
      return apply_by_element(op, args, count, n, out);
  }
}

/// Sum, product or extreme of a block whose last vector is filled with the neutral element.
HWY_INLINE float reduce_block(ReduceOp op, const float* HWY_RESTRICT block, std::size_t n) {
  const Floats d;
  const std::size_t lanes = hn::Lanes(d);
  auto fold = [&](auto f) {
    V a = hn::Load(d, block), b = a;
    std::size_t i = lanes;
    bool two = n >= 2 * lanes;
    if (two) b = hn::Load(d, block + lanes), i = 2 * lanes;
    for (; i + 2 * lanes <= n; i += 2 * lanes) {
      a = f(a, hn::Load(d, block + i));
      b = f(b, hn::Load(d, block + i + lanes));
    }
    for (; i < n; i += lanes) a = f(a, hn::Load(d, block + i));
    if (two) a = f(a, b);
    return a;
  };
  HWY_ALIGN float last[64];
  switch (op) {
    case ReduceOp::kMax:
    case ReduceOp::kMin: {
      bool max = op == ReduceOp::kMax;
      V v = max ? fold([](V x, V y) { return larger(x, y); })
                : fold([](V x, V y) { return smaller(x, y); });
      hn::Store(v, d, last);
      for (std::size_t i = 1; i < lanes; ++i) {
        float pair[2] = {last[0], last[i]};
        last[0] = scalar_apply(max ? Op::kMax : Op::kMin, pair);
      }
      return last[0];
    }
    case ReduceOp::kProd:
      hn::Store(fold([](V x, V y) { return hn::Mul(x, y); }), d, last);
      for (std::size_t i = 1; i < lanes; ++i) last[0] *= last[i];
      return last[0];
    default:
      return hn::GetLane(hn::SumOfLanes(d, fold([](V x, V y) { return hn::Add(x, y); })));
  }
}

float neutral(ReduceOp op) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  if (op == ReduceOp::kMax) return -kInfinity;
  if (op == ReduceOp::kMin) return kInfinity;
  return op == ReduceOp::kProd ? 1.0F : 0.0F;
}

class Interpreter {
 public:
  Interpreter(const RowProgram& program, const void* const* inputs, void* output)
      : program_(program),
        inputs_(inputs),
        output_(output),
        storage_(hwy::AllocateAligned<float>(static_cast<std::size_t>(program.registers + 1) * kBlock)),
        numbers_(static_cast<std::size_t>(program.scalars)),
        bases_(program.loads.size()) {}

  void run(const RowRange& range) {
    for (std::int64_t row = range.row_begin; row < range.row_end; ++row) {
      std::int64_t out = place(row);
      for (const RowStep& step : program_.steps) {
        if (step.kind == RowStep::Kind::kScalar) {
          number(step.code.front());
        } else if (step.kind == RowStep::Kind::kReduce) {
          reduce(step);
        } else {
          store(step, range, out);
        }
      }
    }
    if (range.stream) hwy::FlushStream();
  }

 private:
  float* block(int index) { return storage_.get() + static_cast<std::size_t>(index) * kBlock; }

  /// Bases of the loads in this row; the row's place in the output.
  std::int64_t place(std::int64_t row) {
    std::int64_t out = 0;
    for (std::size_t i = 0; i < bases_.size(); ++i) bases_[i] = program_.loads[i].base;
    for (std::size_t axis = program_.outer_sizes.size(); axis-- > 0;) {
      std::int64_t index = row % program_.outer_sizes[axis];
      row /= program_.outer_sizes[axis];
      out += index * program_.output_outer_steps[axis];
      for (std::size_t i = 0; i < bases_.size(); ++i) {
        bases_[i] += index * program_.loads[i].outer_steps[axis];
      }
    }
    return out;
  }

  const char* memory(const RowInstruction& instruction, std::int64_t element) const {
    const RowLoad& load = program_.loads[static_cast<std::size_t>(instruction.load)];
    std::int64_t offset =
        bases_[static_cast<std::size_t>(instruction.load)] + element * load.lane_step;
    return static_cast<const char*>(inputs_[load.input]) +
           offset * static_cast<std::int64_t>(size_bytes(load.dtype));
  }

  Argument argument(const Operand& operand) {
    if (operand.scalar) return {nullptr, numbers_[static_cast<std::size_t>(operand.index)]};
    return {block(operand.index), 0};
  }

  void number(const RowInstruction& instruction) {
    float& result = numbers_[static_cast<std::size_t>(instruction.result)];
    float v[3] = {};
    for (std::size_t i = 0; i < instruction.args.size(); ++i) {
      v[i] = numbers_[static_cast<std::size_t>(instruction.args[i].index)];
    }
    switch (instruction.code) {
      case RowInstruction::Code::kConst:
        result = static_cast<float>(instruction.constant);
        return;
      case RowInstruction::Code::kApply:
        result = scalar_apply(instruction.op, {v, instruction.args.size()});
        return;
      case RowInstruction::Code::kSelect:
        result = v[0] != 0 ? v[1] : v[2];
        return;
      default: {  // as a block of one element
        HWY_ALIGN float one[kBlock];
        execute(instruction, 0, 1, one);
        result = one[0];
      }
    }
  }

  void execute(const RowInstruction& instruction, std::int64_t element, std::size_t n,
               float* HWY_RESTRICT out) {
    const Floats d;
    Argument args[3] = {};
    for (std::size_t i = 0; i < instruction.args.size(); ++i) args[i] = argument(instruction.args[i]);
    switch (instruction.code) {
      case RowInstruction::Code::kConst: {
        const V number = hn::Set(d, static_cast<float>(instruction.constant));
        return map(n, out, [&](std::size_t) { return number; });
      }
      case RowInstruction::Code::kLoad: {
        const RowLoad& load = program_.loads[static_cast<std::size_t>(instruction.load)];
        return load_block(load.dtype, memory(instruction, element), load.lane_step, n, out);
      }
      case RowInstruction::Code::kApply:
        return apply(instruction.op, args, instruction.args.size(), n, out);
      case RowInstruction::Code::kSelect:
        return map(n, out, [&](std::size_t i) {
          return hn::IfThenElse(hn::Ne(args[0].at(i), hn::Zero(d)), args[1].at(i), args[2].at(i));
        });
      case RowInstruction::Code::kCall:
        if (instruction.function == "silu") {
          return map(n, out, [&](std::size_t i) { return silu(d, args[0].at(i)); });
        }
        return map(n, out, [&](std::size_t i) { return sigmoid(d, args[0].at(i)); });
      case RowInstruction::Code::kRound:
        return round(instruction, args[0], n, out);
    }
  }

  void round(const RowInstruction& instruction, const Argument& value, std::size_t n, float* out) {
    const Floats d;
    HWY_ALIGN char narrow[kBlock * 4];
    HWY_ALIGN float wide[kBlock];
    const bool clamps = instruction.saturate && instruction.dtype == DType::kFloat16;
    const V limit = hn::Set(d, 65504.0F);
    map(n, wide, [&](std::size_t i) {
      V x = value.at(i);
      return clamps ? smaller(larger(x, hn::Neg(limit)), limit) : x;
    });
    store_block(instruction.dtype, wide, narrow, 1, n, false);
    load_block(instruction.dtype, narrow, 1, n, out);
  }

  void run_code(const RowStep& step, std::int64_t element, std::size_t n) {
    for (const RowInstruction& instruction : step.code) {
      execute(instruction, element, n, block(instruction.result));
    }
  }

  void reduce(const RowStep& step) {
    const Floats d;
    const bool sums = step.reduce == ReduceOp::kSum || step.reduce == ReduceOp::kMean;
    double total = neutral(step.reduce);
    std::int64_t count = 0;
    float* scratch = block(program_.registers);
    for (std::int64_t at = 0; at < step.length; at += static_cast<std::int64_t>(kBlock)) {
      auto n = static_cast<std::size_t>(
          std::min<std::int64_t>(static_cast<std::int64_t>(kBlock), step.length - at));
      run_code(step, at, n);
      const Argument source = argument(step.source);
      const float* values = source.block;
      std::size_t whole = (n + hn::Lanes(d) - 1) / hn::Lanes(d) * hn::Lanes(d);
      bool copies = !values || whole != n || step.filter >= 0;
      if (copies) {
        const float* kept = step.filter >= 0 ? block(step.filter) : nullptr;
        for (std::size_t i = 0; i < whole; ++i) {
          bool counts = i < n && (!kept || kept[i] != 0);
          scratch[i] = !counts ? neutral(step.reduce) : values ? values[i] : source.number;
          count += counts;
        }
        values = scratch;
      } else {
        count += static_cast<std::int64_t>(n);
      }
      float part = reduce_block(step.reduce, values, whole);
      if (sums) {
        total += static_cast<double>(part);
      } else if (step.reduce == ReduceOp::kProd) {
        total *= static_cast<double>(part);
      } else {
        float pair[2] = {static_cast<float>(total), part};
        total = static_cast<double>(
            scalar_apply(step.reduce == ReduceOp::kMax ? Op::kMax : Op::kMin, pair));
      }
    }
    if (step.reduce == ReduceOp::kMean) total /= static_cast<double>(count);
    numbers_[static_cast<std::size_t>(step.result)] = static_cast<float>(total);
  }

  void store(const RowStep& step, const RowRange& range, std::int64_t out) {
    const std::int64_t element = static_cast<std::int64_t>(size_bytes(program_.output_dtype));
    for (std::int64_t at = range.column_begin; at < range.column_end;
         at += static_cast<std::int64_t>(kBlock)) {
      auto n = static_cast<std::size_t>(
          std::min<std::int64_t>(static_cast<std::int64_t>(kBlock), range.column_end - at));
      run_code(step, at, n);
      Argument source = argument(step.source);
      if (!source.block) {
        float* scratch = block(program_.registers);
        std::fill_n(scratch, kBlock, source.number);
        source.block = scratch;
      }
      char* to = static_cast<char*>(output_) + (out + at * program_.output_lane_step) * element;
      store_block(program_.output_dtype, source.block, to, program_.output_lane_step, n,
                  range.stream);
    }
  }

  const RowProgram& program_;
  const void* const* inputs_;
  void* output_;
  hwy::AlignedFreeUniquePtr<float[]> storage_;
  std::vector<float> numbers_;
  std::vector<std::int64_t> bases_;
};

void run(const RowProgram& program, const void* const* inputs, void* output, const RowRange& range) {
  Interpreter(program, inputs, output).run(range);
}

}  // namespace tileops::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tileops::cpu {

HWY_EXPORT(run);

const std::vector<std::string>& row_primitives() {
  static const std::vector<std::string> names = {"silu", "sigmoid"};
  return names;
}

void run_rows(const lower::RowProgram& program,
              const void* const* inputs,
              void* output,
              const RowRange& range) {
  HWY_DYNAMIC_DISPATCH(run)(program, inputs, output, range);
}

}  // namespace tileops::cpu
#endif
