// Shapes and dtypes of outputs follow from the inputs and parameters.
#include <algorithm>

#include "spec/checks/context.h"
#include "spec/nearest_name.h"
#include "spec/print_expr.h"
#include "spec/rewrite.h"

namespace tileops::spec {
namespace {

class ShapeChecker {
 public:
  explicit ShapeChecker(const CheckContext& context) : context_(context) {}

  void run() {
    for (const TensorSpec& tensor : context_.op.inputs) check_form(tensor, "signature.inputs.");
    for (const TensorSpec& tensor : context_.op.outputs) check_form(tensor, "signature.outputs.");
    if (context_.problems() > 0) return;  // what follows from a malformed shape says nothing
    check_dtypes();
    solve();
    for (const TensorSpec& tensor : context_.op.inputs) check_known(tensor, "signature.inputs.");
    for (const TensorSpec& tensor : context_.op.outputs) check_known(tensor, "signature.outputs.");
  }

 private:
  void check_form(const TensorSpec& tensor, const std::string& field) {
    each_shape(tensor.shape, [&](const ExprPtr& shape) {
      const auto* literal = get_if<ShapeLit>(shape);
      if (!literal) {
        context_.problem(shape->span, field + tensor.name + ".shape", "not a shape",
                         "[M, 2 * N], or a condition between shapes", print(shape));
        return;
      }
      auto ellipses =
          std::count_if(literal->dims.begin(), literal->dims.end(),
                        [](const Subscript& d) { return d.kind == Subscript::Kind::kEllipsis; });
      if (ellipses > 1) {
        context_.problem(shape->span, field + tensor.name + ".shape", "more than one `...`");
      }
    });
  }

  template <class F>
  static void each_shape(const ExprPtr& shape, F f) {
    if (const auto* select = get_if<Select>(shape)) {
      each_shape(select->then, f);
      each_shape(select->otherwise, f);
    } else {
      f(shape);
    }
  }

  void check_dtypes() {
    std::vector<std::string> before;
    auto check = [&](const TensorSpec& tensor, const std::string& field) {
      const DTypeRule& rule = tensor.dtype;
      if (!rule.same_as.empty() &&
          std::find(before.begin(), before.end(), rule.same_as) == before.end()) {
        context_.problem(tensor.span, field + tensor.name + ".dtype",
                         "`same_as(" + rule.same_as + ")` names no input before it",
                         name_list(before), {}, did_you_mean(rule.same_as, before));
      }
      const Symbol* param = context_.find(rule.param);
      if (!rule.param.empty() &&
          (!param || param->kind != SymbolKind::kParam || param->type != Type::kDType)) {
        context_.problem(tensor.span, field + tensor.name + ".dtype",
                         "`param(" + rule.param + ")` names no parameter of type dtype");
      }
    };
    for (const TensorSpec& tensor : context_.op.inputs) {
      check(tensor, "signature.inputs.");
      before.push_back(tensor.name);
    }
    for (const TensorSpec& tensor : context_.op.outputs) {
      check(tensor, "signature.outputs.");
      if (tensor.dtype.any_of.size() > 1) {
        context_.problem(tensor.span, "signature.outputs." + tensor.name + ".dtype",
                         "the dtype of an output is not determined", "one dtype, same_as or param");
      }
    }
  }

  /// An input determines the one unknown of a dimension, and the one group of a shape.
  void solve() {
    for (const ParamSpec& param : context_.op.params) known_.insert(param.name);
    for (const ExprPtr& rule : context_.op.rules) {
      const auto* apply = get_if<Apply>(rule);
      if (!apply || apply->op != Op::kEq) continue;
      for (std::size_t side : {std::size_t{0}, std::size_t{1}}) {
        const auto* group = get_if<GroupRef>(apply->args[side]);
        if (group && get_if<Name>(apply->args[1 - side])) known_.insert(group->name + "...");
      }
    }
    for (std::size_t before = known_.size() + 1; before != known_.size();) {
      before = known_.size();
      for (const TensorSpec& tensor : context_.op.inputs) {
        if (tensor.optional) continue;
        each_shape(tensor.shape, [&](const ExprPtr& shape) {
          if (const auto* literal = get_if<ShapeLit>(shape)) learn(*literal);
        });
      }
      for (const Split& split : context_.op.splits) {
        if (!known_.count(split.group + "...")) continue;
        known_.insert(split.kept + "...");
        known_.insert(split.chosen + "...");
        if (!split.unit.empty()) known_.insert(split.unit + "...");
      }
      auto let = [&](const Let& x) {
        if (unknown(x.value).empty()) known_.insert(x.name);
      };
      for (const Let& x : context_.op.lets) let(x);
      for (const Statement& statement : context_.op.definition) {
        if (const auto* x = std::get_if<Let>(&statement)) let(*x);
      }
    }
  }

  void learn(const ShapeLit& shape) {
    std::vector<std::string> groups;
    for (const Subscript& dim : shape.dims) {
      if (dim.kind == Subscript::Kind::kExpr) {
        std::set<std::string> names = unknown(dim.expr);
        if (names.size() == 1) known_.insert(*names.begin());
      } else if (dim.kind == Subscript::Kind::kEllipsis || !known_.count(dim.group + "...")) {
        groups.push_back(dim.group);
      }
    }
    if (groups.size() == 1) known_.insert(groups[0] + "...");
  }

  std::set<std::string> unknown(const ExprPtr& expr) const {
    std::set<std::string> out;
    for_each_node(expr, [&](const ExprPtr& node) {
      const auto* name = get_if<Name>(node);
      const Symbol* symbol = name ? context_.find(name->name) : nullptr;
      bool size = symbol && (symbol->kind == SymbolKind::kAxis || symbol->kind == SymbolKind::kLet);
      if (size && !known_.count(name->name)) out.insert(name->name);
      const auto* group = get_if<GroupRef>(node);
      if (group && !known_.count(group->name + "...")) out.insert(group->name + "...");
    });
    return out;
  }

  void check_known(const TensorSpec& tensor, const std::string& field) {
    each_shape(tensor.shape, [&](const ExprPtr& shape) {
      const auto* literal = get_if<ShapeLit>(shape);
      if (!literal) return;
      for (const Subscript& dim : literal->dims) {
        std::set<std::string> names;
        if (dim.kind == Subscript::Kind::kExpr) {
          names = unknown(dim.expr);
        } else if (!known_.count(dim.group + "...")) {
          names.insert(dim.group + "...");
        }
        for (const std::string& name : names) {
          context_.problem(dim.span, field + tensor.name + ".shape",
                           "`" + name + "` is not determined by the inputs and parameters",
                           "an axis that an input's shape gives, or a parameter", {},
                           "name it in the shape of an input that is always given");
        }
      }
    });
  }

  const CheckContext& context_;
  std::set<std::string> known_;
};

}  // namespace

void check_shapes(const CheckContext& context) {
  ShapeChecker(context).run();
}

}  // namespace tileops::spec
