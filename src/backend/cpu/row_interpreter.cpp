// The interpreter of row programs: blocks of 512 elements stay in the first-level cache while the
// instructions of a step run over them.
#include "backend/cpu/row_interpreter.h"

#include <hwy/cache_control.h>

#include <algorithm>

#include "backend/cpu/row_scratch.h"

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
  /// `kept_rows`: another worker's; null: its own.
  Interpreter(const RowProgram& program,
              const void* const* inputs,
              void* output,
              float* kept_rows = nullptr)
      : program_(program),
        inputs_(inputs),
        output_(output),
        blocks_(
            scratch_->blocks.at_least(static_cast<std::size_t>(program.registers + 1) * kBlock)),
        numbers_(scratch_->numbers),
        row_bases_(scratch_->row_bases),
        bases_(scratch_->bases),
        kept_rows_(kept_rows ? kept_rows
                             : scratch_->kept.at_least(static_cast<std::size_t>(
                                   program.kept_rows * kept_size(program)))) {
    numbers_.resize(static_cast<std::size_t>(program.scalars));
    row_bases_.resize(program.loads.size());
    bases_.resize(program.loads.size());
  }

  /// A worker of its own for the same row: numbers and places, other blocks.
  Interpreter(const Interpreter& other)
      : Interpreter(other.program_, other.inputs_, other.output_, other.kept_rows_) {
    numbers_ = other.numbers_;
    row_bases_ = other.row_bases_;
    bases_ = other.bases_;
  }
  Interpreter& operator=(const Interpreter&) = delete;

  void run(const RowRange& range) {
    for (std::int64_t row = range.row_begin; row < range.row_end; ++row) {
      const std::int64_t out = place(row, 0, program_.shared_axes, row_bases_);
      bases_ = row_bases_;
      for (const RowStep& step : program_.steps) {
        if (step.kind == RowStep::Kind::kScalar) number(step.code.front());
        if (step.kind == RowStep::Kind::kReduce) reduce(step, range.threads);
      }
      in_store_ = true;
      run_columns(range, out);
      in_store_ = false;
    }
    if (range.stream) hwy::FlushStream();
  }

 private:
  /// Whole blocks, so that every one of them is aligned.
  static std::int64_t kept_size(const RowProgram& program) {
    return (program.columns / static_cast<std::int64_t>(kBlock) + 1) *
           static_cast<std::int64_t>(kBlock);
  }
  float* kept(int row, std::int64_t element) {
    return kept_rows_ + row * kept_size(program_) + element;
  }

  float* block(int index) { return blocks_ + static_cast<std::size_t>(index) * kBlock; }

  /// Adds to the loads' bases what index `row` of the axes [begin, end) does; its place in the
  /// output.
  std::int64_t place(std::int64_t row,
                     std::size_t begin,
                     std::size_t end,
                     std::vector<std::int64_t>& bases) const {
    std::int64_t out = 0;
    if (begin == 0) {
      for (std::size_t i = 0; i < bases.size(); ++i) bases[i] = program_.loads[i].base;
    }
    for (std::size_t axis = end; axis-- > begin;) {
      std::int64_t index = row % program_.outer_sizes[axis];
      row /= program_.outer_sizes[axis];
      out += index * program_.output_outer_steps[axis];
      for (std::size_t i = 0; i < bases.size(); ++i) {
        bases[i] += index * program_.loads[i].outer_steps[axis];
      }
    }
    return out;
  }

  /// Moves the loads of a step to iteration `index` of its loops.
  void place_loops(const RowStep& step, std::int64_t index) {
    for (int load : step.loads) bases_[static_cast<std::size_t>(load)] = row_bases_of(load);
    for (std::size_t loop = step.loops.size(); loop-- > 0;) {
      const std::int64_t at = index % step.loops[loop];
      index /= step.loops[loop];
      for (int load : step.loads) {
        bases_[static_cast<std::size_t>(load)] +=
            at * program_.loads[static_cast<std::size_t>(load)].loop_steps[loop];
      }
    }
  }
  std::int64_t row_bases_of(int load) const { return row_bases_[static_cast<std::size_t>(load)]; }

  static std::int64_t iterations(const RowStep& step) {
    std::int64_t product = 1;
    for (std::int64_t size : step.loops) product *= size;
    return product;
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
      case RowInstruction::Code::kKept: {
        const float* from = kept(instruction.load, element);
        return map(n, out, [&](std::size_t i) HWY_ATTR { return hn::Load(d, from + i); });
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
    HWY_ALIGN float wide[kBlock] = {};
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

  /// What a step adds up where it lies in memory, itself or its squares.
  struct MemorySum {
    int load = -1;  ///< -1: it has to be computed first
    bool squares = false;
  };
  MemorySum memory_sum(const RowStep& step) const {
    const bool sums = step.reduce == ReduceOp::kSum || step.reduce == ReduceOp::kMean;
    if (!sums || step.code.empty() || step.keeps >= 0 || step.filter >= 0) return {};
    const RowInstruction& last = step.code.back();
    const bool alone = std::all_of(step.code.begin(), step.code.end() - 1,
                                   [](const RowInstruction& x) { return x.in_user; });
    if (!alone || step.source.scalar || step.source.index != last.result) return {};
    const bool squares =
        last.code == RowInstruction::Code::kApply && last.args.size() == 1 && last.memory_arg >= 0;
    if (squares) return {last.memory_load, true};
    const bool side_by_side = last.code == RowInstruction::Code::kLoad &&
                              program_.loads[static_cast<std::size_t>(last.load)].lane_step == 1;
    return {side_by_side ? last.load : -1, false};
  }

  float sum_memory(const MemorySum& what, std::int64_t element, std::size_t n) const {
    const RowLoad& load = program_.loads[static_cast<std::size_t>(what.load)];
    float sum = 0;
    from_memory(load.dtype, memory(what.load, element), kPrefetchBytes, [&](auto a) HWY_ATTR {
      sum = what.squares ? sum_in_memory<true>(a, n) : sum_in_memory<false>(a, n);
    });
    return sum;
  }

  struct Partial {
    double total = 0;
    std::int64_t count = 0;
  };

  static void add(ReduceOp op, Partial& to, const Partial& part) {
    to.count += part.count;
    if (op == ReduceOp::kSum || op == ReduceOp::kMean) {
      to.total += part.total;
    } else if (op == ReduceOp::kProd) {
      to.total *= part.total;
    } else {
      float pair[2] = {static_cast<float>(to.total), static_cast<float>(part.total)};
      to.total =
          static_cast<double>(scalar_apply(op == ReduceOp::kMax ? Op::kMax : Op::kMin, pair));
    }
  }

  /// Elements [begin, end) of a reduction to a number.
  Partial reduce_part(const RowStep& step, std::int64_t begin, std::int64_t end) {
    const Floats d;
    Partial all{static_cast<double>(neutral(step.reduce)), 0};
    float* scratch = block(program_.registers);
    const MemorySum in_memory = memory_sum(step);
    for (std::int64_t at = begin; at < end; at += static_cast<std::int64_t>(kBlock)) {
      auto n = static_cast<std::size_t>(
          std::min<std::int64_t>(static_cast<std::int64_t>(kBlock), end - at));
      if (in_memory.load >= 0 && n % hn::Lanes(d) == 0) {
        const float part = sum_memory(in_memory, at, n);
        add(step.reduce, all, {static_cast<double>(part), static_cast<std::int64_t>(n)});
        continue;
      }
      run_code(step, at, n, nullptr);
      const Argument source = argument(step.source);
      if (step.keeps >= 0) {
        map(n, kept(step.keeps, at), [&](std::size_t i) HWY_ATTR { return source.at(i); });
      }
      const float* values = source.block;
      std::int64_t count = 0;
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
        count = static_cast<std::int64_t>(n);
      }
      const float part = reduce_block(step.reduce, values, whole);
      add(step.reduce, all, {static_cast<double>(part), count});
    }
    return all;
  }

  /// Parts of fixed size, added in order: the result does not depend on the number of threads.
  void reduce(const RowStep& step, int threads) {
    constexpr std::int64_t kPart = 1 << 16, kMostParts = 1 << 20;
    const std::int64_t per_loop = std::max<std::int64_t>(1, (step.length + kPart - 1) / kPart);
    const std::int64_t parts = iterations(step) * per_loop;
    auto part_of = [&](Interpreter& worker, std::int64_t part) HWY_ATTR {
      if (!step.loops.empty()) worker.place_loops(step, part / per_loop);
      const std::int64_t begin = part % per_loop * kPart;
      return worker.reduce_part(step, begin, std::min(step.length, begin + kPart));
    };
    Partial all{static_cast<double>(neutral(step.reduce)), 0};
    if (threads > 1 && parts > 1 && parts <= kMostParts) {
      std::vector<Partial> done(static_cast<std::size_t>(parts));
#pragma omp parallel num_threads(threads)
      {
        Interpreter worker(*this);
#pragma omp for schedule(static)
        for (std::int64_t part = 0; part < parts; ++part) {
          done[static_cast<std::size_t>(part)] = part_of(worker, part);
        }
      }
      for (const Partial& part : done) add(step.reduce, all, part);
    } else {
      for (std::int64_t part = 0; part < parts; ++part) add(step.reduce, all, part_of(*this, part));
    }
    if (step.reduce == ReduceOp::kMean) all.total /= static_cast<double>(all.count);
    numbers_[static_cast<std::size_t>(step.result)] = static_cast<float>(all.total);
  }

  /// Columns [at, at + n) of a reduction that leaves them apart.
  void reduce_across(const RowStep& step, std::int64_t at, std::size_t n) {
    const Floats d;
    float* sum = block(step.result);
    const V start = hn::Set(d, neutral(step.reduce));
    map(kBlock, sum, [&](std::size_t) HWY_ATTR { return start; });
    const bool sums = step.reduce == ReduceOp::kSum || step.reduce == ReduceOp::kMean;
    const RowInstruction* only = step.code.size() == 1 ? &step.code.front() : nullptr;
    const bool adds_memory = sums && step.filter < 0 && !step.loops.empty() && only &&
                             only->code == RowInstruction::Code::kLoad &&
                             program_.loads[static_cast<std::size_t>(only->load)].lane_step == 1 &&
                             n % hn::Lanes(d) == 0;
    const std::int64_t count = iterations(step);
    for (std::int64_t i = 0; i < count; ++i) {
      place_loops(step, i);
      if (adds_memory) {
        const RowLoad& load = program_.loads[static_cast<std::size_t>(only->load)];
        const Target target{sum, nullptr, DType::kFloat32, false};
        const auto next = static_cast<std::uintptr_t>(
            4 * load.loop_steps.back() * static_cast<std::int64_t>(size_bytes(load.dtype)));
        from_memory(load.dtype, memory(only->load, at), next,
                    [&](auto b) HWY_ATTR { combine(Op::kAdd, FromBlock{sum}, b, n, target); });
        continue;
      }
      run_code(step, at, n, nullptr);
      const Argument kept{step.filter >= 0 ? block(step.filter) : nullptr, 1.0F};
      accumulate(step.reduce, argument(step.source), kept, n, sum);
    }
    for (int load : step.loads) bases_[static_cast<std::size_t>(load)] = row_bases_of(load);
    if (step.reduce != ReduceOp::kMean) return;
    const V divisor = hn::Set(d, static_cast<float>(count));
    map(kBlock, sum,
        [&](std::size_t i) HWY_ATTR { return hn::Div(hn::Load(d, sum + i), divisor); });
  }

  void run_columns(const RowRange& range, std::int64_t out) {
    const std::int64_t columns = range.column_end - range.column_begin;
    constexpr std::int64_t kParallelFrom = 1 << 14;
    if (range.threads == 1 || columns < kParallelFrom) {
      return run_columns(range.column_begin, range.column_end, range.stream, out);
    }
#pragma omp parallel num_threads(range.threads)
    {
      Interpreter worker(*this);
      worker.in_store_ = true;
      constexpr auto kColumns = static_cast<std::int64_t>(8 * kBlock);
#pragma omp for schedule(static)
      for (std::int64_t at = range.column_begin; at < range.column_end; at += kColumns) {
        worker.run_columns(at, std::min(range.column_end, at + kColumns), range.stream, out);
      }
      if (range.stream) hwy::FlushStream();
    }
  }

  void run_columns(std::int64_t begin, std::int64_t end, bool stream, std::int64_t out) {
    for (std::int64_t at = begin; at < end; at += static_cast<std::int64_t>(kBlock)) {
      auto n = static_cast<std::size_t>(
          std::min<std::int64_t>(static_cast<std::int64_t>(kBlock), end - at));
      for (const RowStep& step : program_.steps) {
        if (step.kind == RowStep::Kind::kReduceAcross) reduce_across(step, at, n);
      }
      const std::int64_t inner_rows = program_.inner_rows();
      for (std::int64_t inner = 0; inner < inner_rows; ++inner) {
        std::int64_t place_in_output = out;
        if (inner_rows > 1) {
          bases_ = row_bases_;
          place_in_output +=
              place(inner, program_.shared_axes, program_.outer_sizes.size(), bases_);
        }
        store(program_.steps.back(), at, n, stream, place_in_output);
      }
      if (inner_rows > 1) bases_ = row_bases_;
    }
  }

  void store(const RowStep& step, std::int64_t at, std::size_t n, bool stream, std::int64_t out) {
    const auto element = static_cast<std::int64_t>(size_bytes(program_.output_dtype));
    char* to = static_cast<char*>(output_) + (out + at * program_.output_lane_step) * element;
    // A stream writes whole vectors to aligned places only.
    const std::uintptr_t vector = hn::Lanes(Floats()) * static_cast<std::size_t>(element);
    const bool aligned = reinterpret_cast<std::uintptr_t>(to) % vector == 0;
    const Target target{nullptr, to, program_.output_dtype, stream && aligned};
    const bool stores = step.stores_last && n % hn::Lanes(Floats()) == 0;
    run_code(step, at, n, stores ? &target : nullptr);
    if (stores) return;
    Argument source = argument(step.source);
    if (!source.block) {
      float* scratch = block(program_.registers);
      std::fill_n(scratch, kBlock, source.number);
      source.block = scratch;
    }
    store_block(program_.output_dtype, source.block, to, program_.output_lane_step, n, stream);
  }

  const RowProgram& program_;
  const void* const* inputs_;
  void* output_;
  ScratchLease scratch_;
  float* blocks_;
  std::vector<float>& numbers_;
  std::vector<std::int64_t>&row_bases_, &bases_;  ///< of the loads: in this row, and where it is
  float* kept_rows_;                              ///< of the worker that others were copied from
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
