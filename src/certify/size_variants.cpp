// Sizes vary one name at a time around a base of different primes, so that swapped axes show.
#include "certify/size_variants.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "tileops/error.h"

namespace tileops::certify {
namespace {

/// Around the powers of two that vectors, blocks and tiles are made of.
constexpr std::array<std::int64_t, 29> kEdges{0,   1,   2,   3,   4,   7,   8,    9,    15,  16,
                                              17,  31,  32,  33,  63,  64,  65,   127,  128, 129,
                                              255, 256, 257, 511, 512, 513, 1023, 1024, 1025};
constexpr std::array<std::int64_t, 8> kPrimes{5, 7, 11, 13, 3, 17, 19, 2};

class NameCollector {
 public:
  explicit NameCollector(const spec::OpSpec& op) {
    for (const spec::ParamSpec& param : op.params) bound_.insert(param.name);
    for (const spec::Let& let : op.lets) bound_.insert(let.name);
    for (const spec::TensorSpec& input : op.inputs) visit(input.shape);
  }
  FreeNames take() { return std::move(names_); }

 private:
  void add(std::vector<std::string>& list, const std::string& name) {
    if (bound_.contains(name)) return;
    if (std::find(list.begin(), list.end(), name) == list.end()) list.push_back(name);
  }

  void visit(const spec::ExprPtr& e) {
    if (const auto* name = spec::get_if<spec::Name>(e)) add(names_.axes, name->name);
    if (const auto* group = spec::get_if<spec::GroupRef>(e)) add(names_.groups, group->name);
    if (const auto* apply = spec::get_if<spec::Apply>(e)) visit_all(apply->args);
    if (const auto* call = spec::get_if<spec::Call>(e)) visit_all(call->args);
    if (const auto* select = spec::get_if<spec::Select>(e)) {
      visit_all({select->condition, select->then, select->otherwise});
    }
    if (const auto* coalesce = spec::get_if<spec::Coalesce>(e)) {
      visit_all({coalesce->value, coalesce->fallback});
    }
    if (const auto* shape = spec::get_if<spec::ShapeLit>(e)) {
      for (const spec::Subscript& dim : shape->dims) visit(dim);
    }
  }
  void visit(const spec::Subscript& dim) {
    switch (dim.kind) {
      case spec::Subscript::Kind::kExpr:
        return visit(dim.expr);
      case spec::Subscript::Kind::kGroup:
        return add(names_.groups, dim.group);
      case spec::Subscript::Kind::kEllipsis:
        return add(names_.groups, "");
    }
  }
  void visit_all(const std::vector<spec::ExprPtr>& list) {
    for (const spec::ExprPtr& e : list) visit(e);
  }

  std::set<std::string> bound_;
  FreeNames names_;
};

/// A parameter that a rule sets equal to an axis or a group follows the sizes.
std::optional<ParamValue> bound_value(const spec::OpSpec& op,
                                      const std::string& param,
                                      const spec::Sizes& sizes) {
  for (const spec::ExprPtr& rule : op.rules) {
    const auto* apply = spec::get_if<spec::Apply>(rule);
    if (apply == nullptr || apply->op != spec::Op::kEq || apply->args.size() != 2) continue;
    for (std::size_t side = 0; side < 2; ++side) {
      const auto* name = spec::get_if<spec::Name>(apply->args[side]);
      if (name == nullptr || name->name != param) continue;
      if (const auto* group = spec::get_if<spec::GroupRef>(apply->args[1 - side])) {
        const auto found = sizes.groups.find(group->name);
        if (found != sizes.groups.end()) return ParamValue(found->second);
      }
      if (const auto* axis = spec::get_if<spec::Name>(apply->args[1 - side])) {
        const auto found = sizes.axes.find(axis->name);
        if (found != sizes.axes.end()) return ParamValue(found->second);
      }
    }
  }
  return std::nullopt;
}

bool is_legal(const spec::OpSpec& op, const spec::Sizes& sizes) {
  return legal_call(op, sizes, param_variants(op).front(), free_dtypes(op).front()).has_value();
}

/// Primes, then powers of two, then the first workload with its dynamic axes shrunk.
std::optional<spec::Sizes> base_sizes(const spec::OpSpec& op, const FreeNames& names) {
  spec::Sizes primes, twos, shrunk;
  std::size_t next = 0;
  for (const std::string& axis : names.axes) {
    primes.axes[axis] = kPrimes[next++ % kPrimes.size()];
    twos.axes[axis] = 16;
  }
  for (const std::string& group : names.groups) {
    primes.groups[group] = {kPrimes[next++ % kPrimes.size()]};
    twos.groups[group] = {16};
  }
  std::vector<spec::Sizes> tries{primes, twos};
  if (!op.workloads.empty()) {
    shrunk.axes = op.workloads.front().axes;
    shrunk.groups = op.workloads.front().groups;
    for (auto& [axis, size] : shrunk.axes) {
      const auto kind = op.axes.find(axis);
      if (kind != op.axes.end() && kind->second == spec::AxisKind::kDynamic) {
        size = std::min<std::int64_t>(size, 5);
      }
    }
    tries.push_back(shrunk);
  }
  const auto found =
      std::find_if(tries.begin(), tries.end(), [&](const auto& s) { return is_legal(op, s); });
  return found == tries.end() ? std::nullopt : std::optional(*found);
}

std::vector<ParamValue> alternatives(const spec::ParamSpec& param) {
  std::vector<ParamValue> values;
  if (param.optional) values.emplace_back(std::monostate{});
  for (const spec::ParamType type : param.types) {
    if (type == spec::ParamType::kBool) values.insert(values.end(), {false, true});
    if (type == spec::ParamType::kFloat) values.emplace_back(0.5);
    // As axes: the first, the last, several; as numbers: 0, negative, larger than 1.
    if (type == spec::ParamType::kInt) {
      for (const std::int64_t value : {0, -1, 2}) values.emplace_back(value);
    }
    if (type == spec::ParamType::kInts) {
      for (const Ints& value : {Ints{0}, Ints{-1}, Ints{0, 2}}) values.emplace_back(value);
    }
  }
  return values;
}

/// A value that is the default gives nothing new.
std::vector<NamedParams> without_repeats(const spec::OpSpec& op, std::vector<NamedParams> all) {
  std::vector<std::vector<ParamValue>> seen;
  std::erase_if(all, [&](const NamedParams& params) {
    std::vector<ParamValue> complete;
    try {
      complete = spec::complete_params(op, params);
    } catch (const Error&) {
      return false;  // a required one follows the sizes, which are not chosen yet
    }
    if (std::find(seen.begin(), seen.end(), complete) != seen.end()) return true;
    seen.push_back(complete);
    return false;
  });
  return all;
}

std::string group_label(const std::string& group, const Ints& sizes) {
  return (group.empty() ? "..." : group + "...") + "=" + shape_text(sizes);
}

}  // namespace

FreeNames free_names(const spec::OpSpec& op) {
  return NameCollector(op).take();
}

std::vector<DType> free_dtypes(const spec::OpSpec& op) {
  for (const spec::TensorSpec& input : op.inputs) {
    if (!input.dtype.any_of.empty()) return input.dtype.any_of;
  }
  return {DType::kFloat32};
}

std::optional<spec::WorkloadCall> legal_call(const spec::OpSpec& op,
                                             const spec::Sizes& sizes,
                                             NamedParams params,
                                             DType dtype) {
  for (const spec::ParamSpec& param : op.params) {
    if (auto value = bound_value(op, param.name, sizes)) {
      std::erase_if(params, [&](const auto& given) { return given.first == param.name; });
      params.emplace_back(param.name, std::move(*value));
    }
  }
  try {
    spec::WorkloadCall call = spec::sized_call(op, sizes, params, dtype);
    spec::solve_sizes(op, {call.inputs, call.params});
    return call;
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::kBug || error.kind() == ErrorKind::kMachine) throw;
    return std::nullopt;
  }
}

std::vector<NamedParams> param_variants(const spec::OpSpec& op) {
  constexpr std::size_t kMost = 16;
  NamedParams base;  // required parameters that no rule binds come from the first workload
  for (const spec::ParamSpec& param : op.params) {
    if (param.default_value != nullptr || op.workloads.empty()) continue;
    const auto& given = op.workloads.front().params;
    if (const auto found = given.find(param.name); found != given.end()) base.push_back(*found);
  }
  const auto with = [](NamedParams params, const std::string& name, const ParamValue& value) {
    std::erase_if(params, [&](const auto& given) { return given.first == name; });
    params.emplace_back(name, value);
    return params;
  };
  std::vector<NamedParams> all{base};
  for (const spec::ParamSpec& param : op.params) {
    const std::vector<ParamValue> values = alternatives(param);
    const std::vector<NamedParams> before = all;
    const bool fits = before.size() * (values.size() + 1) <= kMost;
    for (const NamedParams& params : fits ? before : std::vector<NamedParams>{base}) {
      for (const ParamValue& value : values) all.push_back(with(params, param.name, value));
    }
  }
  return without_repeats(op, std::move(all));
}

std::vector<SizeVariant> size_variants(const spec::OpSpec& op) {
  const FreeNames names = free_names(op);
  const std::optional<spec::Sizes> base = base_sizes(op, names);
  if (!base) return {};
  std::vector<SizeVariant> variants{{"base", *base}};
  variants.front().roomy = true;
  const auto add = [&](std::string label, spec::Sizes sizes, bool roomy = false) {
    if (is_legal(op, sizes)) variants.push_back({std::move(label), std::move(sizes), roomy});
  };
  for (const auto& [axis, size] : base->axes) {
    for (const std::int64_t edge : kEdges) {
      spec::Sizes sizes = *base;
      sizes.axes[axis] = edge;
      add(axis + "=" + std::to_string(edge), sizes);
    }
  }
  for (const auto& [group, base_shape] : base->groups) {
    for (const std::int64_t edge : kEdges) {
      spec::Sizes sizes = *base;
      sizes.groups[group] = {edge};
      add(group_label(group, {edge}), sizes);
    }
    for (const Ints& shape : {Ints{}, Ints{2, 3}, Ints{3, 1, 2}, Ints{2, 0, 3}, Ints{4, 3, 33}}) {
      spec::Sizes sizes = *base;
      sizes.groups[group] = shape;
      add(group_label(group, shape), sizes, shape.size() == 3 && shape[2] == 33);
    }
  }
  for (const std::int64_t edge : {0, 1, 65, 129}) {
    spec::Sizes sizes = *base;
    for (auto& [axis, size] : sizes.axes) size = edge;
    for (auto& [group, shape] : sizes.groups) shape = {edge};
    add("all=" + std::to_string(edge), sizes, edge == 129);
  }
  return variants;
}

}  // namespace tileops::certify
