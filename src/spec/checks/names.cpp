// Every name means something: indices, symbols, functions, and as many subscripts as there are
// axes.
#include "spec/names.h"

#include <algorithm>

#include "spec/checks/scopes.h"
#include "spec/nearest_name.h"
#include "spec/print_expr.h"
#include "spec/rewrite.h"

namespace tileops::spec {
namespace {

class NameChecker {
 public:
  explicit NameChecker(const CheckContext& context) : context_(context) {}

  void run() {
    for_each_root(context_,
                  [&](const ExprPtr& expr, const IndexScope& scope, const std::string& field) {
                    field_ = field;
                    visit(expr, scope);
                  });
    check_inputs_are_read();
    check_helpers_end();
  }

 private:
  void problem(const SourceSpan& span,
               std::string text,
               std::string expected = {},
               std::string actual = {},
               std::string mend = {}) {
    context_.problem(span, field_, std::move(text), std::move(expected), std::move(actual),
                     std::move(mend));
  }

  void undeclared(const SourceSpan& span, const std::string& name, const IndexScope& scope) {
    std::vector<std::string> known = context_.names();
    known.insert(known.end(), scope.indices.begin(), scope.indices.end());
    problem(span, "undeclared name `" + name + "`",
            "an index, axis, parameter, let or tensor of the entry", {}, did_you_mean(name, known));
  }

  void visit(const ExprPtr& expr, const IndexScope& scope) {
    if (!expr) return;
    if (const auto* x = get_if<Name>(expr)) return name(expr, *x, scope);
    if (const auto* x = get_if<GroupRef>(expr)) {
      if (!context_.groups.count(x->name)) {
        problem(expr->span, "undeclared group of axes `" + x->name + "...`", "a group of a shape");
      }
      return;
    }
    if (const auto* x = get_if<Given>(expr)) {
      if (!context_.find(x->name)) return undeclared(expr->span, x->name, scope);
      if (!context_.is_optional(x->name)) {
        problem(expr->span, "`" + x->name + "` is always given", "an optional tensor or parameter",
                {}, "declare it `optional: true`, or drop the question");
      }
      return;
    }
    if (const auto* x = get_if<Access>(expr)) return access(expr, *x, scope);
    if (const auto* x = get_if<Call>(expr)) {
      if (checker_call(expr, *x, scope)) return;
      call(expr, *x);
    }
    if (const auto* x = get_if<Reduce>(expr)) return reduce(expr, *x, scope);
    for_each_child(expr, [&](const ExprPtr& child) { visit(child, scope); });
  }

  void name(const ExprPtr& expr, const Name& x, const IndexScope& scope) {
    if (scope.indices.count(x.name)) return;
    const Symbol* symbol = context_.find(x.name);
    if (!symbol) return undeclared(expr->span, x.name, scope);
    bool tensor = symbol->kind == SymbolKind::kInput || symbol->kind == SymbolKind::kOutput ||
                  symbol->kind == SymbolKind::kLocal;
    read_.insert(x.name);
    if (tensor && symbol->places > 0 && scope.allows_data) {
      problem(expr->span, "`" + x.name + "` has axes, and no subscripts here",
              std::to_string(symbol->places) + " subscripts");
    }
    if (symbol->kind == SymbolKind::kHelper) {
      problem(expr->span, "`" + x.name + "` is a helper, and has no arguments here");
    }
  }

  void access(const ExprPtr& expr, const Access& x, const IndexScope& scope) {
    read_.insert(x.tensor);
    const Symbol* symbol = context_.find(x.tensor);
    if (!symbol) return undeclared(expr->span, x.tensor, scope);
    bool param = symbol->kind == SymbolKind::kParam;
    if (!param && !scope.allows_data) {
      problem(expr->span, "an element of a tensor where only sizes and parameters are known");
    }
    auto count = static_cast<int>(x.subscripts.size());
    bool split = !context_.op.splits.empty();
    if (symbol->places >= 0 && count != symbol->places && !split) {
      problem(expr->span, "`" + x.tensor + "` has other axes",
              std::to_string(symbol->places) + " subscripts", std::to_string(count));
    }
    for (const Subscript& subscript : x.subscripts) {
      if (subscript.kind == Subscript::Kind::kExpr) {
        visit(subscript.expr, scope);
      } else if (!scope.groups.count(subscript.group)) {
        problem(subscript.span, "undeclared group of indices `" + subscript.group + "...`",
                "a group that the left side or a reduction names");
      }
    }
  }

  /// rank(x), len(list) and the like speak of the whole tensor.
  bool checker_call(const ExprPtr& expr, const Call& x, const IndexScope& scope) {
    if (!call_function_type(x.function)) return false;
    if (x.args.size() != 1) problem(expr->span, "`" + x.function + "` takes 1 argument");
    for (const ExprPtr& arg : x.args) {
      const auto* name = get_if<Name>(arg);
      if (name && !context_.find(name->name)) undeclared(arg->span, name->name, scope);
      if (name) read_.insert(name->name);
    }
    return true;
  }

  void call(const ExprPtr& expr, const Call& x) {
    const Helper* helper = context_.helper(x.function);
    if (!helper || helper->composition) {
      std::vector<std::string> known;
      for (const auto& [name, own] : context_.helpers) known.push_back(name);
      for (const Helper& one : context_.prelude.helpers) known.push_back(one.name);
      for (int op = 0; op <= static_cast<int>(Op::kPhilox); ++op) {
        known.emplace_back(op_name(static_cast<Op>(op)));
      }
      problem(expr->span, "unknown function `" + x.function + "`", {}, {},
              did_you_mean(x.function, known));
    } else if (helper->params.size() != x.args.size()) {
      problem(expr->span, "`" + x.function + "` takes " + std::to_string(helper->params.size()) +
                              " arguments, not " + std::to_string(x.args.size()));
    }
  }

  void reduce(const ExprPtr& expr, const Reduce& x, const IndexScope& scope) {
    if (x.op == ReduceOp::kNamed) {
      const Helper* helper = context_.helper(x.name);
      if (!helper || !helper->composition) {
        std::vector<std::string> known = {"sum", "prod",  "max",    "min",    "mean", "any",
                                          "all", "count", "argmax", "argmin", "first"};
        for (const Helper& one : context_.prelude.helpers) {
          if (one.composition) known.push_back(one.name);
        }
        problem(expr->span, "unknown reduction `" + x.name + "`", name_list(known), {},
                did_you_mean(x.name, known));
      }
    }
    bool chooses = x.op == ReduceOp::kArgmax || x.op == ReduceOp::kArgmin;
    if (chooses && (x.ties == Ties::kUnset || x.nan == NanRule::kUnset)) {
      problem(expr->span, "`" + std::string(reduce_name(x.op)) + "` does not say what it chooses",
              "ties first or last, and nan first or last", {}, "add `, ties first, nan first`");
    }
    std::set<std::string> own;
    for (const Binder& binder : x.binders) {
      if (!own.insert(binder.name).second) {
        problem(binder.span, "index `" + binder.name + "` is bound twice");
      }
      if (!binder.group && context_.find(binder.name)) {
        problem(binder.span, "index `" + binder.name + "` hides a name of the entry", {}, {},
                "choose another name for the index");
      }
      visit(binder.lo, scope);
      visit(binder.hi, scope);
    }
    visit(x.rank, scope);
    visit(x.otherwise, scope);
    IndexScope inner = inner_scope(x, scope);
    visit(x.filter, inner);
    visit(x.body, inner);
  }

  void check_inputs_are_read() {
    for (const TensorSpec& tensor : context_.op.inputs) {
      if (read_.count(tensor.name)) continue;
      context_.problem(tensor.span, "signature.inputs." + tensor.name,
                       "`" + tensor.name + "` is read nowhere",
                       "an input that the definition reads", {}, "remove it");
    }
  }

  /// A helper that reaches itself would never end.
  void check_helpers_end() {
    for (const auto& [name, helper] : context_.helpers) {
      std::set<std::string> reached;
      std::vector<const Helper*> open{helper};
      while (!open.empty()) {
        const Helper* next = open.back();
        open.pop_back();
        for_each_node(next->body, [&](const ExprPtr& node) {
          const auto* call = get_if<Call>(node);
          auto own = call ? context_.helpers.find(call->function) : context_.helpers.end();
          if (own != context_.helpers.end() && reached.insert(own->first).second) {
            open.push_back(own->second);
          }
        });
      }
      if (reached.count(name)) {
        context_.problem(helper->span, "definition", "helper `" + name + "` uses itself");
      }
    }
  }

  const CheckContext& context_;
  std::string field_;
  std::set<std::string> read_;
};

}  // namespace

void check_names(const CheckContext& context) {
  NameChecker(context).run();
}

}  // namespace tileops::spec
