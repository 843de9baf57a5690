// `tileops show`: an entry as it was understood, after any pass.
#include <fmt/core.h>

#include <memory>
#include <string>

#include "certify/instance_of.h"
#include "cli/call_arguments.h"
#include "cli/session.h"
#include "spec/archive.h"
#include "spec/print.h"
#include "tileops/error.h"

namespace tileops::cli {
namespace {

std::string after(const std::string& pass, const Operator& op, const CallArguments& arguments) {
  const spec::OpSpec& entry = *op.engine().op();
  if (pass == "read") return spec::print(entry);
  if (pass == "instantiate") {
    const spec::WorkloadCall call = build_call(entry, arguments);
    return spec::print(
        *certify::instance_of(op, call.inputs, certify::with_names(entry, call.params)));
  }
  throw Error(ErrorKind::kValue, {.op = "tileops show",
                                  .argument = "--after",
                                  .expected = "read, instantiate",
                                  .actual = pass,
                                  .mend = "name one of these passes"});
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
