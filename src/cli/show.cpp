// `tileops show`: an entry as it was understood, after any pass.
#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "certify/instance_of.h"
#include "cli/call_arguments.h"
#include "cli/session.h"
#include "lower/passes.h"
#include "spec/archive.h"
#include "spec/print.h"
#include "tileops/error.h"

namespace tileops::cli {
namespace {

std::string after(const std::string& pass, const Operator& op, const CallArguments& arguments) {
  const spec::OpSpec& entry = *op.engine().op();
  if (pass == "read") return spec::print(entry);
  const std::vector<std::string> passes = lower::pass_names();
  const bool lowers = std::find(passes.begin(), passes.end(), pass) != passes.end();
  if (pass != "instantiate" && !lowers) {
    std::string known = "read, instantiate";
    for (const std::string& name : passes) known += ", " + name;
    throw Error(ErrorKind::kValue, {.op = "tileops show",
                                    .argument = "--after",
                                    .expected = known,
                                    .actual = pass,
                                    .mend = "name one of these passes"});
  }
  const spec::WorkloadCall call = build_call(entry, arguments);
  const NamedParams params = certify::with_names(entry, call.params);
  const auto instance = certify::instance_of(op, call.inputs, params);
  if (pass == "instantiate") return spec::print(*instance);
  return lower::print_after(pass, *instance, call.inputs, op.infer(call.inputs, params));
}

int show(Session& session, const CallArguments& arguments, const std::string& pass) {
  const Operator op = session.registry().find(arguments.op);
  const std::string text = after(pass, op, arguments);
  if (session.json) {
    print_json({{"op", arguments.op},
                {"after", pass},
                {"spec_hash", spec::spec_hash(*op.engine().op(), *op.engine().prelude())},
                {"text", text}});
  } else {
    fmt::print("{}{}", text, text.ends_with('\n') ? "" : "\n");
  }
  return kSuccess;
}

}  // namespace

void add_show(CLI::App& app, Session& session) {
  CLI::App* command =
      add_command(app, "show", "Show an operator's entry, or what passes make of it");
  const auto arguments = add_call_arguments(command);
  auto pass = std::make_shared<std::string>("read");
  command->add_option("--after", *pass, "read, instantiate, or a pass of the lowering")
      ->default_str("read");
  on_run(command, [&session, arguments, pass] { return show(session, *arguments, *pass); });
}

}  // namespace tileops::cli
