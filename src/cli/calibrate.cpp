// `tileops calibrate`: the rates of this machine that bounds are made of.
#include <fmt/core.h>

#include <string>

#include "certify/calibrate_cpu.h"
#include "cli/progress_line.h"
#include "cli/session.h"
#include "cli/text_table.h"

namespace tileops::cli {
namespace {

certify::CpuProfile measure(int threads) {
  ProgressLine line;
  return certify::calibrate_cpu(threads, line.callback());
}

int calibrate(Session& session) {
  const certify::CpuProfile profile = measure(session.judging_context().threads);
  nlohmann::ordered_json json{{"device", "cpu"},
                              {"threads", profile.threads},
                              {"launch_us", profile.launch_us},
                              {"functions_per_us", profile.functions_per_us}};
  TextTable table({"rate", ">value"});
  table.add({"threads", std::to_string(profile.threads)});
  table.add({"launch", fmt::format("{:.2f} us", profile.launch_us)});
  table.add({"functions", fmt::format("{:.2f} G/s", profile.functions_per_us / 1e3)});
  for (const auto& [dtype, rate] : profile.matmul_per_us) {
    json["matmul_gflops"][std::string(dtype_name(dtype))] = rate / 1e3;
    table.add({fmt::format("matrix product {}", dtype_name(dtype)),
               fmt::format("{:.0f} GFLOP/s", rate / 1e3)});
  }
  for (const certify::BandwidthPoint& point : profile.bandwidth) {
    const double read = 1e-3 / point.read_us_per_byte;
    const double copy = 2e-3 / (point.read_us_per_byte + point.write_us_per_byte);
    json["bandwidth"].push_back(
        {{"working_set_bytes", point.working_set_bytes}, {"read_gbs", read}, {"copy_gbs", copy}});
    table.add({fmt::format("bandwidth, {:.0f} KB", point.working_set_bytes / 1024),
               fmt::format("read {:.1f}, copy {:.1f} GB/s", read, copy)});
  }
  if (session.json) {
    print_json(json);
  } else {
    fmt::print("{}", table.text());
  }
  return kSuccess;
}

}  // namespace

void add_calibrate(CLI::App& app, Session& session) {
  CLI::App* command = add_command(app, "calibrate", "Measure the rates that bounds are made of");
  on_run(command, [&session] { return calibrate(session); });
}

}  // namespace tileops::cli
