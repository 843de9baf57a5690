// Reads "M=128", "...=[2,3]", "eps=1e-5" by what the operator's entry declares.
#include "cli/call_arguments.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <utility>

#include "tileops/error.h"

namespace tileops::cli {
namespace {

[[noreturn]] void refuse(const spec::OpSpec& op,
                         std::string argument,
                         std::string expected,
                         std::string actual,
                         std::string mend) {
  throw Error(ErrorKind::kValue, {.op = op.name,
                                  .argument = std::move(argument),
                                  .expected = std::move(expected),
                                  .actual = std::move(actual),
                                  .mend = std::move(mend)});
}

template <class Number>
std::optional<Number> number(std::string_view text) {
  Number value{};
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// "[2, 3]", "(2,3)" or "2": integers with any brackets.
std::optional<Ints> integers(std::string_view text) {
  Ints values;
  std::string item;
  const auto finish = [&] {
    if (item.empty()) return true;
    const auto value = number<std::int64_t>(item);
    if (value) values.push_back(*value);
    item.clear();
    return value.has_value();
  };
  for (const char c : text) {
    if (c == '[' || c == ']' || c == '(' || c == ')' || c == ' ') continue;
    if (c != ',') {
      item += c;
    } else if (!finish()) {
      return std::nullopt;
    }
  }
  return finish() ? std::optional(values) : std::nullopt;
}

std::optional<ParamValue> as_type(spec::ParamType type, const std::string& text) {
  switch (type) {
    case spec::ParamType::kBool:
      if (text == "true" || text == "false") return ParamValue(text == "true");
      return std::nullopt;
    case spec::ParamType::kInt:
      if (const auto value = number<std::int64_t>(text)) return ParamValue(*value);
      return std::nullopt;
    case spec::ParamType::kFloat:
      if (const auto value = number<double>(text)) return ParamValue(*value);
      return std::nullopt;
    case spec::ParamType::kDType:
      if (const auto value = parse_dtype(text)) return ParamValue(*value);
      return std::nullopt;
    case spec::ParamType::kInts:
    case spec::ParamType::kPair:
      if (auto value = integers(text)) return ParamValue(std::move(*value));
      return std::nullopt;
    case spec::ParamType::kText:
      return ParamValue(text);
  }
  return std::nullopt;
}

std::pair<std::string, std::string> split_pair(const spec::OpSpec& op,
                                               const std::string& text,
                                               const char* example) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos) {
    refuse(op, text, std::string("NAME=VALUE, such as ") + example, "no `=`", "write NAME=VALUE");
  }
  return {text.substr(0, equals), text.substr(equals + 1)};
}

spec::Sizes sizes_of(const spec::OpSpec& op, const std::vector<std::string>& texts) {
  spec::Sizes sizes;
  for (const std::string& text : texts) {
    auto [name, value] = split_pair(op, text, "M=128 or ...=[2,3]");
    auto values = integers(value);
    if (!values) refuse(op, "size " + name, "integers", value, "write M=128, or C=[2,3]");
    const bool group = value.starts_with('[') || value.starts_with('(') || name.ends_with("...");
    if (name.ends_with("...")) name.resize(name.size() - 3);
    if (group) {
      sizes.groups[name] = std::move(*values);
    } else {
      sizes.axes[name] = values->empty() ? 0 : values->front();
    }
  }
  return sizes;
}

const spec::Workload& workload_of(const spec::OpSpec& op, const std::string& label) {
  if (op.workloads.empty()) {
    refuse(op, "--workload", "a workload in the entry", "none", "give sizes: --size M=128 ...");
  }
  if (label.empty()) return op.workloads.front();
  const auto found = std::find_if(op.workloads.begin(), op.workloads.end(),
                                  [&](const spec::Workload& w) { return w.label == label; });
  if (found != op.workloads.end()) return *found;
  std::string known;
  for (const spec::Workload& w : op.workloads) known += (known.empty() ? "" : ", ") + w.label;
  refuse(op, "--workload", "one of " + known, label, "choose a listed label");
}

}  // namespace

std::shared_ptr<CallArguments> add_call_arguments(CLI::App* command) {
  auto arguments = std::make_shared<CallArguments>();
  command->add_option("op", arguments->op, "Operator, such as GemmFwdOp")->required();
  command->add_option("--workload", arguments->workload, "A workload of the entry, by label");
  command->add_option("--size", arguments->sizes, "Sizes by name: M=128, or C=[2,3]; repeatable")
      ->allow_extra_args(false);
  command->add_option("--param", arguments->params, "Parameters: eps=1e-5; repeatable")
      ->allow_extra_args(false);
  command->add_option("--dtype", arguments->dtype, "Of the first input whose dtype is free");
  command->add_option("--kernel", arguments->kernel, "Force this kernel by name");
  return arguments;
}

NamedParams named_params(const spec::OpSpec& op, const std::vector<std::string>& texts) {
  NamedParams params;
  for (const std::string& text : texts) {
    auto [name, value] = split_pair(op, text, "eps=1e-5");
    const auto declared =
        std::find_if(op.params.begin(), op.params.end(),
                     [&n = name](const spec::ParamSpec& p) { return p.name == n; });
    if (declared == op.params.end()) {
      params.emplace_back(name, value);  // the operator refuses it by name, with the known ones
      continue;
    }
    std::optional<ParamValue> parsed;
    if (declared->optional && (value == "none" || value == "None")) parsed = std::monostate{};
    for (const spec::ParamType type : declared->types) {
      if (!parsed) parsed = as_type(type, value);
    }
    if (!parsed) refuse(op, "param " + name, "a value of its type", value, "see `tileops show`");
    params.emplace_back(name, std::move(*parsed));
  }
  return params;
}

DType free_dtype(const spec::OpSpec& op, const CallArguments& arguments) {
  if (!arguments.dtype.empty()) {
    if (const auto dtype = parse_dtype(arguments.dtype)) return *dtype;
    refuse(op, "--dtype", "a dtype such as bfloat16", arguments.dtype, "see `tileops show`");
  }
  if (!arguments.workload.empty()) {
    const spec::Workload& workload = workload_of(op, arguments.workload);
    if (!workload.dtypes.empty()) return workload.dtypes.front();
  }
  for (const spec::TensorSpec& input : op.inputs) {
    if (!input.dtype.any_of.empty()) return input.dtype.any_of.front();
  }
  return DType::kFloat32;
}

spec::WorkloadCall build_call(const spec::OpSpec& op, const CallArguments& arguments) {
  const DType dtype = free_dtype(op, arguments);
  if (!arguments.sizes.empty()) {
    return spec::sized_call(op, sizes_of(op, arguments.sizes), named_params(op, arguments.params),
                            dtype);
  }
  const spec::Workload& workload = workload_of(op, arguments.workload);
  if (arguments.params.empty()) return spec::workload_call(op, workload, dtype);
  spec::Workload changed = workload;
  for (auto& [name, value] : named_params(op, arguments.params)) changed.params[name] = value;
  return spec::workload_call(op, changed, dtype);
}

}  // namespace tileops::cli
