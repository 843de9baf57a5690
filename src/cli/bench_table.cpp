// One line a row; rivals as how many times longer they take.
#include "cli/bench_table.h"

#include <fmt/core.h>

#include "cli/text_table.h"

namespace tileops::cli {

std::string time_text(double us) {
  if (us < 1000) return fmt::format("{:#.3g} us", us);
  if (us < 1e6) return fmt::format("{:#.3g} ms", us / 1000);
  return fmt::format("{:#.3g} s", us / 1e6);
}

std::string bench_table(const std::vector<certify::BenchRow>& rows) {
  TextTable table({"operator", "workload", "dtype", "l2", "kernel", ">time", ">bound",
                   ">efficiency", "rivals"});
  for (const certify::BenchRow& row : rows) {
    std::string rivals;
    for (const auto& [name, rival] : row.rivals) {
      rivals += fmt::format("{}{} {} ({:.2f}x)", rivals.empty() ? "" : ", ", name,
                            time_text(rival.us), rival.us / row.time.median);
    }
    table.add({row.op, row.workload, row.dtype, row.l2, row.kernel, time_text(row.time.median),
               time_text(row.bound_us), fmt::format("{:.0f} %", 100 * row.efficiency()), rivals});
  }
  return table.text();
}

}  // namespace tileops::cli
