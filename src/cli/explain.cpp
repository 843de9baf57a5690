// `tileops explain`: which kernels take a call, and why the others do not.
#include <fmt/core.h>

#include <memory>

#include "certify/instance_of.h"
#include "cli/call_arguments.h"
#include "cli/session.h"
#include "cli/text_table.h"

namespace tileops::cli {
namespace {

int explain(Session& session, const CallArguments& arguments) {
  const Operator op = session.registry().find(arguments.op);
  const spec::OpSpec& entry = *op.engine().op();
  const spec::WorkloadCall call = build_call(entry, arguments);
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  TextTable table({"kernel", "verdict", "reason"});
  for (const auto& candidate :
       op.engine().explain(call.inputs, certify::with_names(entry, call.params), session.context(),
                           {arguments.kernel})) {
    json.push_back({{"kernel", candidate.kernel},
                    {"applies", candidate.applies},
                    {"chosen", candidate.chosen},
                    {"reason", candidate.reason}});
    table.add({candidate.kernel,
               candidate.chosen ? "chosen" : (candidate.applies ? "applies" : "does not apply"),
               candidate.reason});
  }
  if (session.json) {
    print_json(json);
  } else {
    fmt::print("{}", table.text());
  }
  return kSuccess;
}

}  // namespace

void add_explain(CLI::App& app, Session& session) {
  CLI::App* command = add_command(app, "explain", "Show which kernels take a call, and why");
  const auto arguments = add_call_arguments(command);
  on_run(command, [&session, arguments] { return explain(session, *arguments); });
}

}  // namespace tileops::cli
