// One call as the command line says it: a workload by label, or sizes and parameters by name.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "spec/instantiate.h"
#include "spec/op_spec.h"
#include "tileops/param.h"

namespace tileops::cli {

struct CallArguments {
  std::string op, workload, dtype, kernel;
  std::vector<std::string> sizes, params;
};

/// Adds OP, --workload, --size, --param, --dtype and --kernel to a subcommand.
std::shared_ptr<CallArguments> add_call_arguments(CLI::App* command);

/// --param, by the entry's types. Throws Error(kValue) that names what cannot be read.
NamedParams named_params(const spec::OpSpec& op, const std::vector<std::string>& texts);

/// The dtype of the first input whose dtype is free: --dtype, or the first that is legal.
DType free_dtype(const spec::OpSpec& op, const CallArguments& arguments);

/// Views without data. Without --workload and --size: the entry's first workload.
spec::WorkloadCall build_call(const spec::OpSpec& op, const CallArguments& arguments);

}  // namespace tileops::cli
