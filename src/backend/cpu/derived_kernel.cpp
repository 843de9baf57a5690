// The kernel that follows from a definition: rows where it is pointwise or a row reduction, element
// by element otherwise.
#include "backend/cpu/derived_kernel.h"

#include <omp.h>

#include <algorithm>
#include <exception>
#include <optional>

#include "backend/cpu/plain_interpreter.h"
#include "backend/cpu/row_interpreter.h"
#include "lower/row_program.h"
#include "spec/instance.h"
#include "tileops/error.h"

namespace tileops::cpu {
namespace {

constexpr std::int64_t kParallelFrom = 32768;  // elements: below it a thread costs more
constexpr std::int64_t kStreamFrom = 8 << 20;  // bytes of output: beyond the caches

/// One output, in the form that it has.
struct OutputWork {
  std::optional<lower::RowProgram> rows;
  lower::OutputProgram plain;
  std::int64_t elements = 0;
};

class DerivedProgram final : public HostProgram {
 public:
  DerivedProgram(lower::ScalarProgram program, std::vector<OutputWork> work)
      : program_(std::move(program)), work_(std::move(work)) {}

  void run(const KernelArgs& args) const override {
    for (const OutputWork& work : work_) {
      if (work.elements == 0) continue;
      if (work.rows) {
        run_as_rows(*work.rows, work.elements, args);
      } else {
        run_as_elements(work, args);
      }
    }
  }

 private:
  /// f(part, parts) on threads; an exception reaches the caller.
  template <class F>
  static void split(int parts, F f) {
    if (parts <= 1) return f(0, 1);
    std::exception_ptr failure;
#pragma omp parallel num_threads(parts)
    {
      try {
        f(omp_get_thread_num(), omp_get_num_threads());
      } catch (...) {
#pragma omp critical(tileops_derived_failure)
        failure = std::current_exception();
      }
    }
    if (failure) std::rethrow_exception(failure);
  }

  static void run_as_rows(const lower::RowProgram& rows,
                          std::int64_t elements,
                          const KernelArgs& args) {
    void* output = args.outputs[rows.output];
    std::int64_t count = rows.rows();
    std::int64_t bytes = elements * static_cast<std::int64_t>(size_bytes(rows.output_dtype));
    bool stream = bytes >= kStreamFrom;
    int parts = rows.work() < kParallelFrom ? 1 : args.threads;
    if (count < parts && rows.has_reductions()) {
      return run_rows(rows, args.inputs, output, {0, count, 0, rows.columns, stream, parts});
    }
    bool by_column = count < parts;
    split(parts, [&](int part, int of) {
      RowRange range{0, count, 0, rows.columns, stream, 1};
      if (by_column) {  // in whole blocks, so that vectors meet the same elements
        std::int64_t block = (rows.columns / of + 511) / 512 * 512;
        range.column_begin = std::min(rows.columns, part * block);
        range.column_end =
            part + 1 == of ? rows.columns : std::min(rows.columns, range.column_begin + block);
      } else {
        range.row_begin = count * part / of;
        range.row_end = count * (part + 1) / of;
      }
      run_rows(rows, args.inputs, output, range);
    });
  }

  void run_as_elements(const OutputWork& work, const KernelArgs& args) const {
    void* output = args.outputs[work.plain.output];
    int parts = static_cast<int>(std::min<std::int64_t>(args.threads, work.elements));
    split(parts, [&](int part, int of) {
      run_plain(program_, work.plain, args.inputs, output, work.elements * part / of,
                work.elements * (part + 1) / of);
    });
  }

  lower::ScalarProgram program_;
  std::vector<OutputWork> work_;
};

class DerivedKernel final : public KernelDescriptor {
 public:
  std::string_view name() const override { return "derived"; }

  Applies applies(const KernelCall& call, const DeviceInfo&) const override {
    try {
      check_plain(lower::build_scalar_program(*call.instance, call.inputs, call.outputs));
      return {};
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::kNotImplemented) throw;
      return Applies::no("it does not run " + error.parts().actual + " yet");
    }
  }

  Launch launch(const KernelCall& call, const KernelConfig&) const override {
    lower::ScalarProgram program =
        lower::build_scalar_program(*call.instance, call.inputs, call.outputs);
    std::vector<OutputWork> work;
    for (const lower::OutputProgram& output : program.outputs) {
      OutputWork one;
      one.plain = output;
      one.elements = call.outputs[static_cast<std::size_t>(output.output)].numel();
      one.rows = lower::lower_to_rows(program, output, row_primitives()).program;
      work.push_back(std::move(one));
    }
    return {std::make_shared<const DerivedProgram>(std::move(program), std::move(work))};
  }
};

}  // namespace

const KernelDescriptor& derived_kernel() {
  static const DerivedKernel kernel;
  return kernel;
}

}  // namespace tileops::cpu
