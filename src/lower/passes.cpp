// What each pass leaves, printed.
#include "lower/passes.h"

#include "lower/collapse_axes.h"
#include "lower/row_program.h"
#include "lower/scalar_program.h"
#include "tileops/error.h"

namespace tileops::lower {

std::vector<std::string> pass_names() {
  return {"scalar", "collapse", "rows"};
}

std::string print_after(const std::string& pass,
                        const spec::Instance& instance,
                        std::span<const TensorView> inputs,
                        std::span<const TensorView> outputs) {
  ScalarProgram program = build_scalar_program(instance, inputs, outputs);
  if (pass == "scalar") return print(program);
  if (pass == "collapse") {
    for (OutputProgram& output : program.outputs) collapse_axes(program, output);
    return print(program);
  }
  if (pass == "rows") {
    std::string out;
    for (const OutputProgram& output : program.outputs) {
      RowLowering rows = lower_to_rows(program, output, {"silu", "sigmoid"});
      out += rows.program ? print(*rows.program) : "no rows: " + rows.why_not + "\n";
    }
    return out;
  }
  throw Error(ErrorKind::kValue, {{}, "pass", "scalar, collapse or rows", pass, {}});
}

}  // namespace tileops::lower
