// The definition on sample calls: every access inside its tensor, every output element defined
// once. Intervals cover all values of the indices at once, so the workloads' full sizes cost
// nothing.
#include <algorithm>
#include <cstdint>
#include <set>

#include "spec/checks/intervals.h"
#include "spec/checks/samples.h"
#include "spec/evaluate.h"
#include "spec/print.h"
#include "spec/print_expr.h"
#include "spec/rewrite.h"
#include "tileops/error.h"

namespace tileops::spec {
namespace {

constexpr std::int64_t kMostCounted = 100000;  // elements, where conditions say what is defined

/// `a and b` holds where both do.
void add_conditions(const ExprPtr& condition, std::vector<ExprPtr>& out) {
  const auto* both = get_if<Apply>(condition);
  if (both && both->op == Op::kAnd) {
    add_conditions(both->args[0], out);
    add_conditions(both->args[1], out);
  } else if (condition) {
    out.push_back(condition);
  }
}

class DefinitionChecker {
 public:
  DefinitionChecker(const CheckContext& context, const Sample& sample, const Instance& instance)
      : context_(context), sample_(sample), instance_(instance) {
    for (const ExprPtr& condition : context.op.requires_data) bound_elements(condition);
  }

  void run() {
    for (const Statement& statement : instance_.statements)
      check_accesses(std::get<Define>(statement));
    for (const TensorSpec& output : context_.op.outputs) check_coverage(output);
  }

 private:
  void problem(const SourceSpan& span,
               std::string text,
               std::string expected,
               std::string actual,
               std::string mend = {}) {
    if (!reported_.insert({span.line, span.column}).second) return;
    context_.problem(span, "definition", std::move(text), std::move(expected), std::move(actual),
                     std::move(mend));
  }

  /// `0 <= table[b, p] < P` of `requires` bounds the elements of table.
  void bound_elements(const ExprPtr& condition) {
    Scope scope(context_.op, {sample_.inputs, sample_.params}, sample_.sizes);
    std::vector<ExprPtr> parts;
    add_conditions(condition, parts);
    for (const ExprPtr& part : parts) {
      const auto* x = get_if<Apply>(part);
      if (!x || x->op < Op::kLt || x->op > Op::kGe) continue;
      for (std::size_t side : {std::size_t{0}, std::size_t{1}}) {
        const auto* access = get_if<Access>(x->args[side]);
        if (!access || !unknown_names(x->args[1 - side], scope).empty()) continue;
        Interval& bound =
            facts_.elements.try_emplace(access->tensor, Interval{INT32_MIN, INT32_MAX})
                .first->second;
        std::int64_t limit = evaluate_int(x->args[1 - side], scope);
        bool above = (x->op == Op::kLt || x->op == Op::kLe) == (side == 0);
        std::int64_t strict = x->op == Op::kLt || x->op == Op::kGt ? 1 : 0;
        if (above) {
          bound.hi = std::min(bound.hi, limit - strict);
        } else {
          bound.lo = std::max(bound.lo, limit + strict);
        }
      }
    }
  }

  void check_accesses(const Define& define) {
    Facts facts = facts_;
    if (!bind(define.indices, facts)) return;
    add_conditions(define.domain, facts.conditions);
    visit(define.value, facts);
  }

  /// False: the loops are empty, so nothing is read.
  static bool bind(const std::vector<Binder>& binders, Facts& facts) {
    for (const Binder& binder : binders) {
      auto lo = interval_of(binder.lo, facts), hi = interval_of(binder.hi, facts);
      if (!lo || !hi) continue;  // depends on data: the index is bounded by conditions only
      if (hi->hi <= lo->lo) return false;
      facts.indices[binder.name] = {lo->lo, hi->hi - 1};
    }
    return true;
  }

  void visit(const ExprPtr& expr, const Facts& facts) {
    if (!expr) return;
    if (const auto* x = get_if<Access>(expr)) return access(expr, *x, facts);
    if (const auto* x = get_if<Select>(expr)) {
      visit(x->condition, facts);
      Facts then = facts;
      add_conditions(x->condition, then.conditions);
      visit(x->then, then);
      visit(x->otherwise, facts);
      return;
    }
    if (const auto* x = get_if<Apply>(expr); x && x->op == Op::kAnd) {
      visit(x->args[0], facts);
      Facts right = facts;
      add_conditions(x->args[0], right.conditions);
      visit(x->args[1], right);
      return;
    }
    if (const auto* x = get_if<Reduce>(expr)) {
      visit(x->otherwise, facts);
      Facts inner = facts;
      if (!bind(x->binders, inner)) return;
      visit(x->filter, inner);
      add_conditions(x->filter, inner.conditions);
      visit(x->body, inner);
      return;
    }
    for_each_child(expr, [&](const ExprPtr& child) { visit(child, facts); });
  }

  void access(const ExprPtr& expr, const Access& x, const Facts& facts) {
    const TensorInstance* tensor = instance_.find(x.tensor);
    for (std::size_t axis = 0; axis < x.subscripts.size() && tensor; ++axis) {
      const ExprPtr& index = x.subscripts[axis].expr;
      visit(index, facts);
      std::int64_t size = tensor->shape[axis];
      auto range = interval_of(index, facts);
      if (range && (range->lo > range->hi || (range->lo >= 0 && range->hi < size))) continue;
      std::string actual =
          range ? "from " + std::to_string(range->lo) + " to " + std::to_string(range->hi)
                : "a value that depends on data";
      problem(expr->span.file ? expr->span : index->span,
              "index " + print(index) + " of `" + x.tensor + "` is not provably in bounds",
              "from 0 to " + std::to_string(size - 1) + " along axis " + std::to_string(axis),
              actual + " at " + sizes_text(sample_.sizes),
              range ? "correct the index, or give a condition that holds it inside"
                    : "state its range in signature.requires");
    }
  }

  void check_coverage(const TensorSpec& output) {
    std::vector<const Define*> defines;
    for (const Statement& statement : instance_.statements) {
      const auto& define = std::get<Define>(statement);
      if (define.target.tensor == output.name) defines.push_back(&define);
    }
    if (defines.empty()) {
      if (output.optional) return;
      problem(output.span, "output `" + output.name + "` is left undefined",
              "a statement " + output.name + "[...] = ...", "none at " + sizes_text(sample_.sizes));
      return;
    }
    bool everywhere = std::all_of(defines.begin(), defines.end(),
                                  [](const Define* define) { return !define->domain; });
    if (defines.size() == 1 && everywhere) return;
    if (everywhere) {
      problem(defines[1]->span, "output `" + output.name + "` is defined twice",
              "one statement for each element",
              "the first in line " + std::to_string(defines[0]->span.line),
              "limit the statements with `for`, or remove one");
      return;
    }
    count_elements(output, defines);
  }

  void count_elements(const TensorSpec& output, const std::vector<const Define*>& defines) {
    const Ints& shape = instance_.find(output.name)->shape;
    std::int64_t elements = 1;
    for (std::int64_t size : shape) {
      if (size == 0 || size > kMostCounted) return;
      elements *= size;
      if (elements > kMostCounted) return;
    }
    Scope scope(context_.op, {sample_.inputs, sample_.params}, sample_.sizes);
    for (std::int64_t element = 0; element < elements; ++element) {
      int times = 0;
      const Define* last = nullptr;
      Ints place(shape.size());
      std::int64_t rest = element;
      for (std::size_t axis = shape.size(); axis-- > 0;) {
        place[axis] = rest % shape[axis];
        rest /= shape[axis];
      }
      for (const Define* define : defines) {
        for (std::size_t axis = 0; axis < place.size(); ++axis) {
          scope.set(define->indices[axis].name, place[axis]);
        }
        bool here = !define->domain;
        if (!here && !decide(*define, scope, here)) return;
        times += here;
        if (here) last = define;
      }
      if (times == 1) continue;
      problem(last ? last->span : defines[0]->span,
              times == 0 ? "an element of output `" + output.name + "` is left undefined"
                         : "an element of output `" + output.name + "` is defined twice",
              "each element defined once",
              output.name + shape_text(place) + " at " + sizes_text(sample_.sizes),
              times == 0 ? "add `else ...`, or a statement for the others"
                         : "make the conditions exclusive");
      return;
    }
  }

  /// False: the condition depends on data, which is a problem of its own.
  bool decide(const Define& define, const Scope& scope, bool& here) {
    try {
      here = evaluate_bool(define.domain, scope);
      return true;
    } catch (const Error&) {
      problem(define.span, "where `for` is false the output is left undefined",
              "`else` and a value", "a condition on data", "add `else ...`");
      return false;
    }
  }

  const CheckContext& context_;
  const Sample& sample_;
  const Instance& instance_;
  Facts facts_;
  std::set<std::pair<std::int32_t, std::int32_t>> reported_;
};

}  // namespace

void check_definition(const CheckContext& context) {
  auto op = std::make_shared<const OpSpec>(context.op);
  auto prelude = std::make_shared<const Prelude>(context.prelude);
  for (const Sample& sample : legal_samples(*op)) {
    CallShapes call{sample.inputs, sample.params};
    try {
      Instance instance = instantiate(op, prelude, call, sample.sizes);
      std::size_t before = context.problems();
      DefinitionChecker(context, sample, instance).run();
      if (context.problems() != before) return;  // the same at other sizes
    } catch (const Error& error) {
      if (error.kind() == ErrorKind::kNotImplemented) return;  // nothing evaluates it yet
      context.problem(context.op.span, "definition",
                      "the definition has no meaning: " + error.parts().argument,
                      error.parts().expected, error.parts().actual, error.parts().mend);
      return;
    }
  }
}

}  // namespace tileops::spec
