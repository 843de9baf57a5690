// Evaluation over sizes and parameters. Operators of two numbers are in evaluate_op.cpp.
#include "spec/evaluate.h"

#include <algorithm>
#include <set>

#include "spec/evaluate_op.h"
#include "spec/print.h"
#include "spec/rewrite.h"
#include "tileops/error.h"

namespace tileops::spec {

Scope::Scope(const OpSpec& op,
             std::span<const ParamValue> params,
             std::span<const TensorView> inputs)
    : op_(op), inputs_(inputs) {
  for (std::size_t i = 0; i < params.size() && i < op.params.size(); ++i) {
    values_[op.params[i].name] = params[i];
  }
}

Scope::Scope(const OpSpec& op, const CallShapes& call, const Sizes& sizes)
    : Scope(op, call.params, call.inputs) {
  for (const auto& [name, size] : sizes.axes) values_[name] = size;
  groups_ = sizes.groups;
  apply_splits();
}

const Ints* Scope::group(const std::string& name) const {
  auto at = groups_.find(name);
  return at == groups_.end() ? nullptr : &at->second;
}

const ParamValue* Scope::find(const std::string& name) const {
  auto at = values_.find(name);
  if (at != values_.end()) return &at->second;
  for (const Let& let : op_.lets) {
    if (let.name != name) continue;
    if (!unknown_names(let.value, *this).empty()) return nullptr;
    return &(values_[name] = evaluate(let.value, *this));
  }
  for (const Statement& statement : op_.definition) {
    const auto* let = std::get_if<Let>(&statement);
    if (!let || let->name != name || !unknown_names(let->value, *this).empty()) continue;
    return &(values_[name] = evaluate(let->value, *this));
  }
  return nullptr;
}

const std::vector<bool>* Scope::split_mask(const std::string& group) const {
  auto at = split_masks_.find(group);
  return at == split_masks_.end() ? nullptr : &at->second;
}

const Scope::UnitGroup* Scope::unit_group(const std::string& group) const {
  auto at = unit_groups_.find(group);
  return at == unit_groups_.end() ? nullptr : &at->second;
}

bool Scope::given(const std::string& name) const {
  for (std::size_t i = 0; i < op_.inputs.size() && i < inputs_.size(); ++i) {
    if (op_.inputs[i].name == name) return inputs_[i].given();
  }
  const ParamValue* value = find(name);
  return value && !std::holds_alternative<std::monostate>(*value);
}

namespace {

/// The parameter that a split goes by; the whole expression where there is not just one.
std::string chooser(const ExprPtr& by, const OpSpec& op) {
  std::set<std::string> params;
  for_each_node(by, [&](const ExprPtr& node) {
    const auto* name = get_if<Name>(node);
    const bool is_param = name && std::any_of(op.params.begin(), op.params.end(),
                                              [&](const auto& p) { return p.name == name->name; });
    if (is_param) params.insert(name->name);
  });
  return params.size() == 1 ? *params.begin() : print(by);
}

}  // namespace

void Scope::apply_splits() {
  for (const Split& split : op_.splits) {
    const Ints* whole = group(split.group);
    if (!whole) continue;
    std::vector<bool> chosen(whole->size(), false);
    ParamValue by = evaluate(split.by, *this);
    if (std::holds_alternative<std::monostate>(by)) {
      chosen.assign(whole->size(), true);
    } else {
      Ints dims =
          std::holds_alternative<Ints>(by) ? std::get<Ints>(by) : Ints{std::get<std::int64_t>(by)};
      auto rank = static_cast<std::int64_t>(whole->size());
      for (std::int64_t dim : dims) {
        std::int64_t at = dim < 0 ? dim + rank : dim;
        if (at < 0 || at >= rank || chosen[static_cast<std::size_t>(at)]) {
          throw Error(ErrorKind::kValue,
                      {op_.name,
                       chooser(split.by, op_),
                       rank == 0 ? "axes to choose from"
                                 : "distinct axes between " + std::to_string(-rank) + " and " +
                                       std::to_string(rank - 1),
                       rank == 0 ? "a tensor without axes" : shape_text(dims),
                       {}});
        }
        chosen[static_cast<std::size_t>(at)] = true;
      }
    }
    Ints kept, taken;
    for (std::size_t i = 0; i < whole->size(); ++i) {
      (chosen[i] ? taken : kept).push_back((*whole)[i]);
    }
    if (!split.unit.empty()) {
      Ints unit = *whole;
      for (std::size_t i = 0; i < unit.size(); ++i) unit[i] = chosen[i] ? 1 : unit[i];
      groups_[split.unit] = unit;
      unit_groups_[split.unit] = {split.kept, chosen};
    }
    groups_[split.kept] = kept;
    groups_[split.chosen] = taken;
    split_masks_[split.group] = chosen;
  }
}

namespace {

Error cannot(const ExprPtr& expr, const Scope& scope, const std::string& why) {
  return Error(ErrorKind::kValue, {scope.op().name, print(expr), why, {}, {}});
}

const TensorView* input_named(const std::string& name, const Scope& scope) {
  for (std::size_t i = 0; i < scope.op().inputs.size() && i < scope.inputs().size(); ++i) {
    if (scope.op().inputs[i].name == name) return &scope.inputs()[i];
  }
  return nullptr;
}

/// len(ints), rank(x), dtype(x), numel(x), shape(x), is_floating(x or parameter).
ParamValue checker_function(const Call& call, const ExprPtr& expr, const Scope& scope) {
  if (call.function == "len" && call.args.size() == 1) {
    ParamValue list = evaluate(call.args[0], scope);
    if (const auto* ints = std::get_if<Ints>(&list)) return static_cast<std::int64_t>(ints->size());
  }
  const auto* name = call.args.size() == 1 ? get_if<Name>(call.args[0]) : nullptr;
  const TensorView* tensor = name ? input_named(name->name, scope) : nullptr;
  if (tensor && tensor->given()) {
    if (call.function == "is_floating") return tileops::is_floating(tensor->dtype);
    if (call.function == "rank") return static_cast<std::int64_t>(tensor->rank);
    if (call.function == "dtype") return tensor->dtype;
    if (call.function == "numel") return tensor->numel();
    if (call.function == "shape") return Ints(tensor->shape().begin(), tensor->shape().end());
  }
  const ParamValue* param = name ? scope.find(name->name) : nullptr;
  if (param && call.function == "is_floating") return std::holds_alternative<double>(*param);
  throw cannot(expr, scope, "a function of sizes and parameters");
}

const Helper* op_helper(const std::string& name, const OpSpec& op) {
  for (const Statement& statement : op.definition) {
    const auto* helper = std::get_if<Helper>(&statement);
    if (helper && helper->name == name) return helper;
  }
  return nullptr;
}

class Evaluator {
 public:
  explicit Evaluator(const Scope& scope) : scope_(scope) {}

  ParamValue value(const ExprPtr& expr) const {
    if (get_if<NoneLit>(expr)) return ParamValue{};
    if (const auto* x = get_if<BoolLit>(expr)) return x->value;
    if (const auto* x = get_if<IntLit>(expr)) return x->value;
    if (const auto* x = get_if<FloatLit>(expr)) return x->value;
    if (const auto* x = get_if<DTypeLit>(expr)) return x->value;
    if (const auto* x = get_if<TextLit>(expr)) return x->value;
    if (const auto* x = get_if<Given>(expr)) return scope_.given(x->name);
    if (const auto* x = get_if<Name>(expr)) return name(expr, x->name);
    if (const auto* x = get_if<GroupRef>(expr)) return group(expr, x->name);
    if (const auto* x = get_if<ShapeLit>(expr)) return shape(*x);
    if (const auto* x = get_if<Select>(expr)) {
      return boolean(x->condition) ? value(x->then) : value(x->otherwise);
    }
    if (const auto* x = get_if<Coalesce>(expr)) {
      ParamValue first = value(x->value);
      return std::holds_alternative<std::monostate>(first) ? value(x->fallback) : first;
    }
    if (const auto* x = get_if<Apply>(expr)) return apply(expr, *x);
    if (const auto* x = get_if<Access>(expr)) return element(expr, *x);
    if (const auto* x = get_if<Call>(expr)) return call(expr, *x);
    throw cannot(expr, scope_, "an expression over sizes and parameters");
  }

  bool boolean(const ExprPtr& expr) const {
    ParamValue result = value(expr);
    if (const bool* x = std::get_if<bool>(&result)) return *x;
    throw cannot(expr, scope_, "true or false");
  }

 private:
  ParamValue name(const ExprPtr& expr, const std::string& name) const {
    if (const ParamValue* found = scope_.find(name)) return *found;
    throw cannot(expr, scope_, "a known size or parameter");
  }
  ParamValue group(const ExprPtr& expr, const std::string& name) const {
    if (const Ints* found = scope_.group(name)) return *found;
    throw cannot(expr, scope_, "a known group of axes");
  }

  Ints shape(const ShapeLit& lit) const {
    Ints out;
    for (const Subscript& dim : lit.dims) {
      if (dim.kind == Subscript::Kind::kExpr) {
        ParamValue size = value(dim.expr);
        const auto* whole = std::get_if<std::int64_t>(&size);
        if (!whole) throw cannot(dim.expr, scope_, "an integer");
        out.push_back(*whole);
      } else {
        const Ints* sizes = scope_.group(dim.group);
        if (!sizes) {
          throw Error(ErrorKind::kValue,
                      {scope_.op().name, dim.group + "...", "a known group of axes", {}, {}});
        }
        out.insert(out.end(), sizes->begin(), sizes->end());
      }
    }
    return out;
  }

  ParamValue apply(const ExprPtr& expr, const Apply& x) const {
    if (x.op == Op::kAnd) return boolean(x.args[0]) && boolean(x.args[1]);
    if (x.op == Op::kOr) return boolean(x.args[0]) || boolean(x.args[1]);
    std::vector<ParamValue> args;
    for (const ExprPtr& arg : x.args) args.push_back(value(arg));
    try {
      return evaluate_op(x.op, args);
    } catch (const Error& error) {
      throw cannot(expr, scope_, error.parts().expected);
    }
  }

  /// An element of a parameter of type ints: `stride[0]`.
  ParamValue element(const ExprPtr& expr, const Access& access) const {
    const ParamValue* list = scope_.find(access.tensor);
    const auto* ints = list ? std::get_if<Ints>(list) : nullptr;
    if (!ints || access.subscripts.size() != 1 || !access.subscripts[0].expr) {
      throw cannot(expr, scope_, "an element of a known list");
    }
    ParamValue at = value(access.subscripts[0].expr);
    const auto* index = std::get_if<std::int64_t>(&at);
    auto size = static_cast<std::int64_t>(ints->size());
    std::int64_t place = !index ? -1 : *index < 0 ? *index + size : *index;
    if (place < 0 || place >= size) {
      throw cannot(expr, scope_, "an index into a list of " + std::to_string(size));
    }
    return (*ints)[static_cast<std::size_t>(place)];
  }

  ParamValue call(const ExprPtr& expr, const Call& call) const {
    const Helper* helper = op_helper(call.function, scope_.op());
    if (!helper || helper->composition || helper->params.size() != call.args.size()) {
      return checker_function(call, expr, scope_);
    }
    Scope inner = scope_;
    for (std::size_t i = 0; i < call.args.size(); ++i) {
      inner.set(helper->params[i], value(call.args[i]));
    }
    return evaluate(helper->body, inner);
  }

  const Scope& scope_;
};

}  // namespace

ParamValue evaluate(const ExprPtr& expr, const Scope& scope) {
  return Evaluator(scope).value(expr);
}
bool evaluate_bool(const ExprPtr& expr, const Scope& scope) {
  return Evaluator(scope).boolean(expr);
}

std::int64_t evaluate_int(const ExprPtr& expr, const Scope& scope) {
  ParamValue value = evaluate(expr, scope);
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return *whole;
  throw cannot(expr, scope, "an integer");
}

double evaluate_number(const ExprPtr& expr, const Scope& scope) {
  ParamValue value = evaluate(expr, scope);
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return static_cast<double>(*whole);
  if (const auto* real = std::get_if<double>(&value)) return *real;
  throw cannot(expr, scope, "a number");
}

std::vector<std::string> unknown_names(const ExprPtr& expr, const Scope& scope) {
  std::vector<std::string> out;
  auto add = [&](const std::string& name) {
    if (std::find(out.begin(), out.end(), name) == out.end()) out.push_back(name);
  };
  for_each_node(expr, [&](const ExprPtr& node) {
    if (const auto* name = get_if<Name>(node)) {
      if (!scope.find(name->name) && !input_named(name->name, scope)) add(name->name);
    } else if (const auto* group = get_if<GroupRef>(node)) {
      if (!scope.group(group->name)) add(group->name + "...");
    } else if (const auto* shape = get_if<ShapeLit>(node)) {
      for (const Subscript& dim : shape->dims) {
        if (dim.kind != Subscript::Kind::kExpr && !scope.group(dim.group)) add(dim.group + "...");
      }
    }
  });
  return out;
}

const ShapeLit& chosen_shape(const ExprPtr& shape, const Scope& scope) {
  const Expr* node = shape.get();
  while (const auto* select = std::get_if<Select>(&node->node)) {
    node = (evaluate_bool(select->condition, scope) ? select->then : select->otherwise).get();
  }
  if (const auto* literal = std::get_if<ShapeLit>(&node->node)) return *literal;
  throw Error(ErrorKind::kBug, {scope.op().name, print(shape), "a shape", {}, {}});
}

Ints evaluate_shape(const ExprPtr& shape, const Scope& scope) {
  return std::get<Ints>(evaluate(shape, scope));
}

}  // namespace tileops::spec
