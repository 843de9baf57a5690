// The interpreter of row programs: blocks of 512 elements stay in the first-level cache while the
// instructions of a step run over them.
#include "backend/cpu/row_interpreter.h"

#include <hwy/aligned_allocator.h>
#include <hwy/cache_control.h>

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/row_interpreter.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "backend/cpu/blocks-inl.h"
#include "backend/cpu/in_memory-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tileops::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using lower::Operand;
using lower::RowInstruction;
using lower::RowLoad;
using lower::RowProgram;
using lower::RowStep;

class Interpreter {
 public:
  Interpreter(const RowProgram& program, const void* const* inputs, void* output)
      : program_(program),
        inputs_(inputs),
        output_(output),
        storage_(
            hwy::AllocateAligned<float>(static_cast<std::size_t>(program.registers + 1) * kBlock)),
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
          in_store_ = true;
          store(step, range, out);
          in_store_ = false;
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

  const char* memory(int index, std::int64_t element) const {
    const RowLoad& load = program_.loads[static_cast<std::size_t>(index)];
    std::int64_t offset = bases_[static_cast<std::size_t>(index)] + element * load.lane_step;
    return static_cast<const char*>(inputs_[load.input]) +
           offset * static_cast<std::int64_t>(size_bytes(load.dtype));
  }

  /// While a row is gone through again the next one is fetched.
  std::uintptr_t ahead_of(const RowLoad& load) const {
    constexpr std::int64_t kLongRow = 256 << 10;
    const bool again = program_.steps.front().kind == RowStep::Kind::kReduce && in_store_;
    if (!again || load.outer_steps.empty()) return kPrefetchBytes;
    const std::int64_t row =
        load.outer_steps.back() * static_cast<std::int64_t>(size_bytes(load.dtype));
    return row < kLongRow ? static_cast<std::uintptr_t>(row) : kPrefetchBytes;
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
        HWY_ALIGN float one[kBlock] = {};
        execute(instruction, 0, 1, one);
        result = one[0];
      }
    }
  }

  void execute(const RowInstruction& instruction,
               std::int64_t element,
               std::size_t n,
               float* HWY_RESTRICT out) {
    const Floats d;
    Argument args[3] = {};
    for (std::size_t i = 0; i < instruction.args.size(); ++i)
      args[i] = argument(instruction.args[i]);
    switch (instruction.code) {
      case RowInstruction::Code::kConst: {
        const V number = hn::Set(d, static_cast<float>(instruction.constant));
        return map(n, out, [&](std::size_t) { return number; });
      }
      case RowInstruction::Code::kLoad: {
        const RowLoad& load = program_.loads[static_cast<std::size_t>(instruction.load)];
        return load_block(load.dtype, memory(instruction.load, element), load.lane_step, n, out);
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

  /// `target`: where the last instruction writes; null: all of them write blocks.
  void run_code(const RowStep& step, std::int64_t element, std::size_t n, const Target* target) {
    const Floats d;
    const bool whole = n % hn::Lanes(d) == 0;
    for (const RowInstruction& instruction : step.code) {
      if (whole && instruction.in_user) continue;
      const bool last = target && &instruction == &step.code.back();
      if (whole && (instruction.memory_arg >= 0 || last)) {
        const Target to_block{block(instruction.result), nullptr, DType::kFloat32, false};
        execute_in_memory(instruction, element, n, last ? *target : to_block);
      } else {
        execute(instruction, element, n, block(instruction.result));
      }
    }
  }

  /// Instructions that read an argument, or write their result, where it lies in memory.
  void execute_in_memory(const RowInstruction& x,
                         std::int64_t element,
                         std::size_t n,
                         const Target& target) {
    const Floats d;
    const bool loads = x.memory_arg >= 0;
    const RowLoad* load =
        loads ? &program_.loads[static_cast<std::size_t>(x.memory_load)] : nullptr;
    const char* from = loads ? memory(x.memory_load, element) : nullptr;
    const std::uintptr_t ahead = loads ? ahead_of(*load) : 0;
    if (x.args.size() == 1) {  // into a block
      from_memory(load->dtype, from, ahead, [&](auto a) HWY_ATTR {
        float* HWY_RESTRICT out = target.block;
        if (x.code == RowInstruction::Code::kApply) {
          map(n, out, [&](std::size_t i) HWY_ATTR {
            V v = a.at(i);
            return hn::Mul(v, v);
          });
        } else if (x.function == "silu") {
          map(n, out, [&](std::size_t i) HWY_ATTR { return silu(d, a.at(i)); });
        } else {
          map(n, out, [&](std::size_t i) HWY_ATTR { return sigmoid(d, a.at(i)); });
        }
      });
      return;
    }
    // Both operators commute: what lies in memory is the second argument.
    const Argument first = argument(x.args[x.memory_arg == 0 ? 1 : 0]);
    auto with_second = [&](auto b) HWY_ATTR {
      if (first.block) {
        combine(x.op, FromBlock{first.block}, b, n, target);
      } else {
        combine(x.op, FromNumber{first.number}, b, n, target);
      }
    };
    if (loads) return from_memory(load->dtype, from, ahead, with_second);
    const Argument second = argument(x.args[1]);
    if (second.block) return with_second(FromBlock{second.block});
    with_second(FromNumber{second.number});
  }

  /// The instruction whose squares a step adds up, where nothing else stands in its way.
  static const RowInstruction* squares_of(const RowStep& step) {
    if (step.code.empty()) return nullptr;
    const RowInstruction& last = step.code.back();
    const bool alone = std::all_of(step.code.begin(), step.code.end() - 1,
                                   [](const RowInstruction& x) { return x.in_user; });
    const bool squares =
        last.code == RowInstruction::Code::kApply && last.args.size() == 1 && last.memory_arg >= 0;
    const bool plain = step.filter < 0 && !step.source.scalar && step.source.index == last.result;
    return alone && squares && plain ? &last : nullptr;
  }

  float squares_in_memory(const RowInstruction& x, std::int64_t element, std::size_t n) const {
    const RowLoad& load = program_.loads[static_cast<std::size_t>(x.memory_load)];
    float sum = 0;
    from_memory(load.dtype, memory(x.memory_load, element), kPrefetchBytes,
                [&](auto a) HWY_ATTR { sum = sum_of_squares(a, n); });
    return sum;
  }

  void reduce(const RowStep& step) {
    const Floats d;
    const bool sums = step.reduce == ReduceOp::kSum || step.reduce == ReduceOp::kMean;
    double total = neutral(step.reduce);
    std::int64_t count = 0;
    float* scratch = block(program_.registers);
    const RowInstruction* squares = sums ? squares_of(step) : nullptr;
    for (std::int64_t at = 0; at < step.length; at += static_cast<std::int64_t>(kBlock)) {
      auto n = static_cast<std::size_t>(
          std::min<std::int64_t>(static_cast<std::int64_t>(kBlock), step.length - at));
      if (squares && n % hn::Lanes(d) == 0) {
        total += static_cast<double>(squares_in_memory(*squares, at, n));
        count += static_cast<std::int64_t>(n);
        continue;
      }
      run_code(step, at, n, nullptr);
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
    const auto element = static_cast<std::int64_t>(size_bytes(program_.output_dtype));
    for (std::int64_t at = range.column_begin; at < range.column_end;
         at += static_cast<std::int64_t>(kBlock)) {
      auto n = static_cast<std::size_t>(
          std::min<std::int64_t>(static_cast<std::int64_t>(kBlock), range.column_end - at));
      char* to = static_cast<char*>(output_) + (out + at * program_.output_lane_step) * element;
      // A stream writes whole vectors to aligned places only.
      const std::uintptr_t vector = hn::Lanes(Floats()) * static_cast<std::size_t>(element);
      const bool aligned = reinterpret_cast<std::uintptr_t>(to) % vector == 0;
      const Target target{nullptr, to, program_.output_dtype, range.stream && aligned};
      const bool stores = step.stores_last && n % hn::Lanes(Floats()) == 0;
      run_code(step, at, n, stores ? &target : nullptr);
      if (stores) continue;
      Argument source = argument(step.source);
      if (!source.block) {
        float* scratch = block(program_.registers);
        std::fill_n(scratch, kBlock, source.number);
        source.block = scratch;
      }
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
  bool in_store_ = false;
};

void run(const RowProgram& program,
         const void* const* inputs,
         void* output,
         const RowRange& range) {
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
