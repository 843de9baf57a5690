// From the shapes of a call to the sizes of its axes, or to an error that says which argument is
// wrong and where the expectation came from.
#include <algorithm>

#include "spec/evaluate.h"
#include "spec/instantiate.h"
#include "spec/print.h"
#include "spec/rewrite.h"
#include "tileops/error.h"

namespace tileops::spec {
namespace {

class Solver {
 public:
  Solver(const OpSpec& op, const CallShapes& call)
      : op_(op), call_(call), scope_(op, call.params, call.inputs) {}

  Sizes run() {
    check_arity();
    check_dtypes();
    groups_from_rules();
    std::vector<std::size_t> open;
    for (std::size_t i = 0; i < op_.inputs.size(); ++i) {
      if (call_.inputs[i].given()) open.push_back(i);
    }
    for (bool progress = true; progress && !open.empty();) {
      progress = std::erase_if(open, [&](std::size_t i) { return match(i, false); }) != 0;
      scope_.apply_splits();
    }
    for (std::size_t i : open) match(i, true);
    check_all_known();
    scope_.apply_splits();
    check_rules();
    return {axes_, groups_};
  }

 private:
  Error error(ErrorKind kind,
              std::string argument,
              std::string expected,
              std::string actual,
              std::string mend = {}) const {
    return Error(kind, {op_.name, std::move(argument), std::move(expected), std::move(actual),
                        std::move(mend)});
  }

  void check_arity() const {
    if (call_.inputs.size() != op_.inputs.size()) {
      throw error(ErrorKind::kValue, "inputs", std::to_string(op_.inputs.size()) + " tensors",
                  std::to_string(call_.inputs.size()));
    }
    for (std::size_t i = 0; i < op_.inputs.size(); ++i) {
      const TensorView& view = call_.inputs[i];
      if (!view.given() && !op_.inputs[i].optional) {
        throw error(ErrorKind::kValue, op_.inputs[i].name, "a tensor", "none",
                    "pass " + op_.inputs[i].name);
      }
      if (!view.given()) continue;
      auto shape = view.shape();
      if (std::any_of(shape.begin(), shape.end(), [](std::int64_t n) { return n < 0; })) {
        throw error(ErrorKind::kValue, op_.inputs[i].name, "sizes of at least 0",
                    shape_text(shape));
      }
      try {
        static_cast<void>(view.size_bytes());
      } catch (const Error&) {
        throw error(ErrorKind::kValue, op_.inputs[i].name, "a number of bytes that fits 64 bits",
                    shape_text(shape));
      }
      check_extent(i);
    }
  }

  /// The offset of the last element must fit, whatever the strides.
  void check_extent(std::size_t i) const {
    const TensorView& view = call_.inputs[i];
    std::int64_t last = 0, part = 0;
    bool overflow = false;
    for (std::size_t axis = 0; axis < view.shape().size(); ++axis) {
      if (view.steps[axis] < 0) {
        throw error(ErrorKind::kValue, op_.inputs[i].name, "strides of at least 0",
                    shape_text(view.strides()), "pass a contiguous copy");
      }
      if (view.sizes[axis] == 0) return;
      overflow |= __builtin_mul_overflow(view.sizes[axis] - 1, view.steps[axis], &part);
      overflow |= __builtin_add_overflow(last, part, &last);
    }
    overflow |=
        __builtin_mul_overflow(last, static_cast<std::int64_t>(size_bytes(view.dtype)), &part);
    if (overflow) {
      throw error(ErrorKind::kValue, op_.inputs[i].name, "byte offsets that fit 64 bits",
                  "shape " + shape_text(view.shape()) + ", strides " + shape_text(view.strides()));
    }
  }

  void check_dtypes() const {
    for (std::size_t i = 0; i < op_.inputs.size(); ++i) {
      if (call_.inputs[i].given()) check_dtype(i);
    }
    if (op_.dtype_combos.empty()) return;
    auto agrees = [&](const std::map<std::string, DType>& combo) {
      for (std::size_t i = 0; i < op_.inputs.size(); ++i) {
        auto at = combo.find(op_.inputs[i].name);
        bool counts = call_.inputs[i].given() && at != combo.end();
        if (counts && at->second != call_.inputs[i].dtype) return false;
      }
      return true;
    };
    if (std::none_of(op_.dtype_combos.begin(), op_.dtype_combos.end(), agrees)) {
      std::string actual;
      for (std::size_t i = 0; i < op_.inputs.size(); ++i) {
        actual += (i ? ", " : "") + op_.inputs[i].name + " " +
                  std::string(dtype_name(call_.inputs[i].dtype));
      }
      throw error(ErrorKind::kType, "inputs", "a combination of dtypes that the entry lists",
                  actual);
    }
  }

  void check_dtype(std::size_t i) const {
    const DTypeRule& rule = op_.inputs[i].dtype;
    DType actual = call_.inputs[i].dtype;
    std::string expected;
    for (DType dtype : rule.any_of) {
      if (dtype == actual) return;
      expected += (expected.empty() ? "" : " or ") + std::string(dtype_name(dtype));
    }
    if (!rule.same_as.empty()) {
      for (std::size_t j = 0; j < op_.inputs.size(); ++j) {
        if (op_.inputs[j].name != rule.same_as || !call_.inputs[j].given()) continue;
        if (call_.inputs[j].dtype == actual) return;
        expected = std::string(dtype_name(call_.inputs[j].dtype)) + " (as " + rule.same_as + ")";
      }
    } else if (!rule.param.empty()) {
      const ParamValue* value = scope_.find(rule.param);
      const auto* dtype = value ? std::get_if<DType>(value) : nullptr;
      if (!dtype || *dtype == actual) return;
      expected = std::string(dtype_name(*dtype)) + " (parameter " + rule.param + ")";
    }
    if (expected.empty()) return;
    throw error(ErrorKind::kType, op_.inputs[i].name, expected, std::string(dtype_name(actual)),
                "convert " + op_.inputs[i].name);
  }

  /// `C... == normalized_shape` gives the group before any shape is read.
  void groups_from_rules() {
    for (const ExprPtr& rule : op_.rules) {
      const auto* apply = get_if<Apply>(rule);
      if (!apply || apply->op != Op::kEq) continue;
      for (int side : {0, 1}) {
        const auto* group = get_if<GroupRef>(apply->args[static_cast<std::size_t>(side)]);
        const auto* param = get_if<Name>(apply->args[static_cast<std::size_t>(1 - side)]);
        const ParamValue* value = group && param ? scope_.find(param->name) : nullptr;
        const auto* ints = value ? std::get_if<Ints>(value) : nullptr;
        if (!ints) continue;
        for (std::int64_t size : *ints) {
          if (size < 0)
            throw error(ErrorKind::kValue, param->name, "sizes of at least 0", shape_text(*ints));
        }
        set_group(group->name, *ints, "parameter " + param->name);
      }
    }
  }

  void set_axis(const std::string& name, std::int64_t size, std::string source) {
    axes_[name] = size;
    source_[name] = std::move(source);
    scope_.set(name, size);
  }
  void set_group(const std::string& name, Ints sizes, std::string source) {
    groups_[name] = sizes;
    source_[name + "..."] = std::move(source);
    scope_.set_group(name, std::move(sizes));
  }

  /// Solves what input i determines. False: it has unknowns that others must give first.
  bool match(std::size_t i, bool last_try) {
    const TensorSpec& tensor = op_.inputs[i];
    const ShapeLit& shape = chosen_shape(tensor.shape, scope_);
    auto actual = call_.inputs[i].shape();
    std::size_t fixed = 0, unknown_groups = 0, known = 0;
    for (const Subscript& dim : shape.dims) {
      if (dim.kind == Subscript::Kind::kExpr) {
        ++fixed;
      } else if (dim.kind == Subscript::Kind::kGroup && scope_.group(dim.group)) {
        known += scope_.group(dim.group)->size();
      } else {
        ++unknown_groups;  // `...` counts here always: it broadcasts
      }
    }
    if (unknown_groups > 1 && !last_try) return false;
    bool too_few = actual.size() < fixed + known;
    if (too_few || (unknown_groups == 0 && actual.size() != fixed + known)) {
      throw error(ErrorKind::kValue, tensor.name,
                  "shape " + print(make_expr(shape)) + known_sizes(shape) + ", " +
                      (unknown_groups ? "at least " : "") + std::to_string(fixed + known) +
                      (fixed + known == 1 ? " axis" : " axes"),
                  shape_text(actual));
    }
    if (unknown_groups > 1) {
      throw error(ErrorKind::kValue, tensor.name, "groups of axes that other arguments determine",
                  shape_text(actual));
    }
    std::size_t rest = actual.size() - fixed - known, at = 0;
    bool complete = true;
    for (const Subscript& dim : shape.dims) {
      if (dim.kind == Subscript::Kind::kExpr) {
        complete = match_dim(i, shape, at, dim.expr, last_try) && complete;
        ++at;
      } else {
        bool has = dim.kind == Subscript::Kind::kGroup && scope_.group(dim.group);
        std::size_t count = has ? scope_.group(dim.group)->size() : rest;
        match_group(i, shape, dim,
                    Ints(actual.begin() + static_cast<std::ptrdiff_t>(at),
                         actual.begin() + static_cast<std::ptrdiff_t>(at + count)));
        at += count;
      }
    }
    return complete;
  }

  void match_group(std::size_t i, const ShapeLit& shape, const Subscript& dim, Ints actual) {
    const std::string& name = dim.group;
    const Ints* known = scope_.group(name);
    std::string source = op_.inputs[i].name;
    if (dim.kind == Subscript::Kind::kEllipsis && known) {
      set_group("", broadcast(i, *known, actual), source_["..."] + ", " + source);
    } else if (!known) {
      set_group(name, std::move(actual), source);
    } else if (*known != actual) {
      throw mismatch(
          i, shape, name + "... = " + shape_text(*known) + " (from " + source_[name + "..."] + ")");
    }
  }

  Ints broadcast(std::size_t i, const Ints& a, const Ints& b) const {
    Ints out(std::max(a.size(), b.size()), 1);
    for (std::size_t k = 0; k < out.size(); ++k) {
      std::int64_t x = k < a.size() ? a[a.size() - 1 - k] : 1;
      std::int64_t y = k < b.size() ? b[b.size() - 1 - k] : 1;
      if (x != y && x != 1 && y != 1) {
        throw error(ErrorKind::kValue, op_.inputs[i].name,
                    "leading axes that broadcast with " + shape_text(a) + " (from " +
                        source_.at("...") + ")",
                    shape_text(b));
      }
      out[out.size() - 1 - k] = x == 1 ? y : x;
    }
    return out;
  }

  /// One axis of one input: bind a new name, solve an affine expression, or compare.
  bool match_dim(
      std::size_t i, const ShapeLit& shape, std::size_t axis, const ExprPtr& dim, bool last_try) {
    std::int64_t actual = call_.inputs[i].sizes[axis];
    std::vector<std::string> unknown = unknown_names(dim, scope_);
    std::string source = op_.inputs[i].name + ", axis " + std::to_string(axis);
    if (unknown.empty()) {
      if (evaluate_int(dim, scope_) == actual) return true;
      throw mismatch(i, shape,
                     print(dim) + " = " + std::to_string(evaluate_int(dim, scope_)) + sources(dim));
    }
    if (unknown.size() > 1) {
      if (!last_try) return false;
      throw error(ErrorKind::kValue, op_.inputs[i].name,
                  "axes that the arguments determine (" + print(dim) + ")",
                  shape_text(call_.inputs[i].shape()));
    }
    // An affine expression of the one unknown is solved by its values at 0 and 1.
    auto at = [&](std::int64_t value) {
      Scope trial = scope_;
      trial.set(unknown[0], value);
      return evaluate_int(dim, trial);
    };
    std::int64_t zero = at(0), slope = at(1) - zero;
    bool divides = slope != 0 && (actual - zero) % slope == 0;
    std::int64_t size = divides ? (actual - zero) / slope : -1;
    if (size < 0 || at(size) != actual) {
      throw mismatch(i, shape, "axis " + std::to_string(axis) + " of the form " + print(dim));
    }
    set_axis(unknown[0], size, source);
    return true;
  }

  std::string sources(const ExprPtr& dim) const {
    std::string text;
    for (const auto& [name, size] : axes_) {
      bool used = false;
      if (const auto* own = get_if<Name>(dim)) used = own->name == name;
      if (used) text += " (from " + source_.at(name) + ")";
    }
    return text;
  }

  std::string known_sizes(const ShapeLit& shape) const {
    std::string text;
    for (const Subscript& dim : shape.dims) {
      const auto* name = get_if<Name>(dim.expr);
      auto at = name ? axes_.find(name->name) : axes_.end();
      if (at != axes_.end()) {
        text += (text.empty() ? " with " : ", ") + at->first + " = " + std::to_string(at->second);
      }
      auto group = dim.kind == Subscript::Kind::kGroup ? groups_.find(dim.group) : groups_.end();
      if (group != groups_.end()) {
        text += (text.empty() ? " with " : ", ") + dim.group +
                "... = " + shape_text(group->second) + " (from " + source_.at(dim.group + "...") +
                ")";
      }
    }
    return text;
  }

  Error mismatch(std::size_t i, const ShapeLit& shape, const std::string& why) const {
    return error(ErrorKind::kValue, op_.inputs[i].name,
                 "shape " + print(make_expr(shape)) + " with " + why,
                 shape_text(call_.inputs[i].shape()));
  }

  /// An absent `...` is no axes; an axis that only absent tensors have stays unknown.
  void check_all_known() {
    if (scope_.group("")) return;
    for (const TensorSpec& tensor : op_.inputs) {
      if (std::any_of(shape_dims(tensor).begin(), shape_dims(tensor).end(),
                      [](const Subscript& d) { return d.kind == Subscript::Kind::kEllipsis; })) {
        set_group("", {}, "no input");
        return;
      }
    }
  }
  const std::vector<Subscript>& shape_dims(const TensorSpec& tensor) const {
    return chosen_shape(tensor.shape, scope_).dims;
  }

  void check_rules() const {
    for (const ExprPtr& rule : op_.rules) {
      bool holds = false;
      try {
        holds = evaluate_bool(rule, scope_);
      } catch (const Error& why) {
        throw error(ErrorKind::kValue, "rule", print(rule), why.what());
      }
      if (!holds) throw error(ErrorKind::kValue, "rule", print(rule), values_in(rule));
    }
  }

  /// "M = 3, eps = -1": what the names of a rule stand for.
  std::string values_in(const ExprPtr& rule) const {
    std::string text;
    std::vector<std::string> seen;
    for_each_node_name(rule, [&](const std::string& name, bool group) {
      std::string label = group ? name + "..." : name;
      if (std::find(seen.begin(), seen.end(), label) != seen.end()) return;
      seen.push_back(label);
      const ParamValue* value = group ? nullptr : scope_.find(name);
      const Ints* sizes = group ? scope_.group(name) : nullptr;
      if (value) text += (text.empty() ? "" : ", ") + label + " = " + param_text(*value);
      if (sizes) text += (text.empty() ? "" : ", ") + label + " = " + shape_text(*sizes);
    });
    return text;
  }

  template <class F>
  static void for_each_node_name(const ExprPtr& expr, F f) {
    for_each_node(expr, [&](const ExprPtr& node) {
      if (const auto* name = get_if<Name>(node)) f(name->name, false);
      if (const auto* group = get_if<GroupRef>(node)) f(group->name, true);
      if (const auto* access = get_if<Access>(node)) f(access->tensor, false);
    });
  }

  const OpSpec& op_;
  const CallShapes& call_;
  Scope scope_;
  std::map<std::string, std::int64_t> axes_;
  std::map<std::string, Ints> groups_;
  std::map<std::string, std::string> source_;  ///< axis or "group..." -> where its size came from
};

}  // namespace

Sizes solve_sizes(const OpSpec& op, const CallShapes& call) {
  return Solver(op, call).run();
}

}  // namespace tileops::spec
