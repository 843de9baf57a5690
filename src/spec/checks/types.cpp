// Types of expressions: bools where there is a choice, integers in places, numbers in arithmetic.
#include <algorithm>

#include "spec/checks/scopes.h"
#include "spec/fold.h"
#include "spec/instance_tensors.h"
#include "spec/names.h"
#include "spec/print_expr.h"
#include "spec/rewrite.h"

namespace tileops::spec {
namespace {

bool is_number(Type type) {
  return type == Type::kInt || type == Type::kFloat || type == Type::kComplex ||
         type == Type::kUnknown;
}

bool is_list(Type type) {
  return type == Type::kInts || type == Type::kShape;
}

class TypeChecker {
 public:
  explicit TypeChecker(const CheckContext& context) : context_(context) {}

  void run() {
    find_local_types();
    reports_ = true;
    for_each_root(context_,
                  [&](const ExprPtr& expr, const IndexScope& scope, const std::string& field) {
                    field_ = field;
                    type(expr, scope);
                  });
    field_ = "signature.rules";
    for (const ExprPtr& rule : context_.op.rules) expect(rule, {}, Type::kBool, "a rule");
    field_ = "definition";
    for (const Statement& statement : context_.op.definition) check_statement(statement);
  }

 private:
  void problem(const ExprPtr& expr,
               std::string text,
               std::string expected,
               Type actual,
               std::string mend = {}) {
    if (!reports_) return;
    auto place = std::pair(expr->span.line, expr->span.column);
    if (!reported_.insert(place).second) return;
    context_.problem(expr->span, field_, std::move(text), std::move(expected),
                     std::string(type_name(actual)), std::move(mend));
  }

  void expect(const ExprPtr& expr, const IndexScope& scope, Type wanted, const std::string& what) {
    if (!expr) return;
    Type actual = type(expr, scope);
    if (actual == wanted || actual == Type::kUnknown) return;
    problem(expr, "type error: " + what + " is not " + std::string(type_name(wanted)),
            std::string(type_name(wanted)), actual);
  }

  /// Statements in any order: a few rounds settle what follows from what.
  void find_local_types() {
    for (int round = 0; round < 4; ++round) {
      for (const Statement& statement : context_.op.definition) {
        if (const auto* define = std::get_if<Define>(&statement)) {
          if (!context_.find(define->target.tensor)) continue;
          locals_[define->target.tensor] = type(define->value, scope_of(*define));
        } else if (const auto* let = std::get_if<Let>(&statement)) {
          locals_[let->name] = type(let->value, {});
        }
      }
      for (const Let& let : context_.op.lets) locals_[let.name] = type(let.value, {});
    }
  }

  static IndexScope scope_of(const Define& define) {
    IndexScope scope;
    scope.allows_data = true;
    for (const Binder& index : define.indices) {
      (index.group ? scope.groups : scope.indices).insert(index.name);
    }
    return scope;
  }

  void check_statement(const Statement& statement) {
    const auto* define = std::get_if<Define>(&statement);
    if (!define) return;
    IndexScope scope = scope_of(*define);
    expect(define->domain, scope, Type::kBool, "what follows `for`");
    expect(define->when, {}, Type::kBool, "what follows `when`");
    const Symbol* target = context_.find(define->target.tensor);
    if (!target || target->kind != SymbolKind::kOutput) return;
    if (depends_on_dtype(define->when)) return;  // its type is that of calls where it is there
    Type stored = target->type, value = type(define->value, scope);
    if (stored == Type::kUnknown || value == Type::kUnknown || stored == value) return;
    bool widens = is_number(stored) && is_number(value) && value < stored;
    if (!widens) {
      problem(
          define->value, "type error: `" + define->target.tensor + "` holds another type",
          std::string(type_name(stored)), value,
          stored == Type::kInt ? "round it with floor or round_to" : "write a condition ? 1 : 0");
    }
  }

  static bool depends_on_dtype(const ExprPtr& condition) {
    bool found = false;
    for_each_node(condition, [&](const ExprPtr& node) {
      const auto* call = get_if<Call>(node);
      found = found || (call && (call->function == "dtype" || call->function == "is_floating"));
    });
    return found;
  }

  Type type(const ExprPtr& expr, const IndexScope& scope) {
    if (!expr) return Type::kUnknown;
    if (const auto* x = get_if<Name>(expr)) {
      if (scope.indices.count(x->name)) return Type::kInt;
      return type_of_symbol(x->name);
    }
    if (get_if<GroupRef>(expr)) return Type::kInts;
    if (const auto* x = get_if<Access>(expr)) return access(*x, scope);
    if (const auto* x = get_if<Apply>(expr)) return apply(expr, *x, scope);
    if (const auto* x = get_if<Select>(expr)) {
      expect(x->condition, scope, Type::kBool, "the condition");
      Type then = type(x->then, scope), otherwise = type(x->otherwise, scope);
      if (then == Type::kNone || then == Type::kUnknown) return otherwise;
      if (otherwise == Type::kNone || otherwise == Type::kUnknown || then == otherwise) return then;
      if (is_number(then) && is_number(otherwise)) return std::max(then, otherwise);
      problem(expr, "type error: the branches have different types", std::string(type_name(then)),
              otherwise);
      return Type::kUnknown;
    }
    if (const auto* x = get_if<Coalesce>(expr)) {
      Type value = type(x->value, scope), fallback = type(x->fallback, scope);
      return value == Type::kUnknown || value == Type::kNone ? fallback : value;
    }
    if (const auto* x = get_if<Reduce>(expr)) return reduce(*x, scope);
    if (const auto* x = get_if<Call>(expr)) return call(*x, scope);
    if (const auto* x = get_if<RoundTo>(expr)) {
      expect(x->dtype, scope, Type::kDType, "the first argument of round_to");
      type(x->value, scope);
      return Type::kFloat;
    }
    if (const auto* x = get_if<ShapeLit>(expr)) {
      for (const Subscript& dim : x->dims) {
        if (dim.expr) expect(dim.expr, scope, Type::kInt, "a size");
      }
      return Type::kShape;
    }
    return folded(expr->node, expr->span)->type;
  }

  Type type_of_symbol(const std::string& name) const {
    auto local = locals_.find(name);
    if (local != locals_.end()) return local->second;
    const Symbol* symbol = context_.find(name);
    return symbol ? symbol->type : Type::kUnknown;
  }

  Type access(const Access& x, const IndexScope& scope) {
    for (const Subscript& subscript : x.subscripts) {
      if (subscript.expr) expect(subscript.expr, scope, Type::kInt, "a subscript");
    }
    const Symbol* symbol = context_.find(x.tensor);
    if (symbol && symbol->kind == SymbolKind::kParam) return Type::kInt;
    return type_of_symbol(x.tensor);
  }

  Type apply(const ExprPtr& expr, const Apply& x, const IndexScope& scope) {
    std::vector<Type> types;
    for (const ExprPtr& arg : x.args) types.push_back(type(arg, scope));
    bool unknown = std::find(types.begin(), types.end(), Type::kUnknown) != types.end();
    switch (x.op) {
      case Op::kAnd:
      case Op::kOr:
      case Op::kNot:
        for (const ExprPtr& arg : x.args) {
          expect(arg, scope, Type::kBool, "an operand of `" + std::string(op_name(x.op)) + "`");
        }
        return Type::kBool;
      case Op::kEq:
      case Op::kNe:
        if (!unknown && types[0] != types[1] && !(is_number(types[0]) && is_number(types[1])) &&
            !(is_list(types[0]) && is_list(types[1])) && types[0] != Type::kNone &&
            types[1] != Type::kNone) {
          problem(expr, "type error: a comparison of different types",
                  std::string(type_name(types[0])), types[1]);
        }
        return Type::kBool;
      default:
        break;
    }
    for (std::size_t i = 0; i < types.size(); ++i) {
      if (is_number(types[i])) continue;
      problem(x.args[i],
              "type error: an operand of `" + std::string(op_name(x.op)) + "` is not a number",
              "a number", types[i], types[i] == Type::kBool ? "write a condition ? 1 : 0" : "");
      return Type::kUnknown;
    }
    bool bits = x.op >= Op::kBitAnd && x.op <= Op::kShiftRight;
    for (std::size_t i = 0; i < types.size() && (bits || x.op == Op::kCeilDiv); ++i) {
      expect(x.args[i], scope, Type::kInt, "an operand of `" + std::string(op_name(x.op)) + "`");
    }
    bool compares = x.op >= Op::kLt && x.op <= Op::kGe;
    if (compares) return Type::kBool;
    if (unknown) return Type::kUnknown;
    Apply typed = x;
    for (std::size_t i = 0; i < types.size(); ++i) {
      typed.args[i] = make_expr(typed.args[i]->node, types[i], typed.args[i]->span);
    }
    return folded(typed, expr->span)->type;
  }

  Type reduce(const Reduce& x, const IndexScope& scope) {
    IndexScope inner = inner_scope(x, scope);
    for (const Binder& binder : x.binders) {
      expect(binder.lo, scope, Type::kInt, "the first of a range");
      expect(binder.hi, scope, Type::kInt, "the end of a range");
    }
    expect(x.filter, inner, Type::kBool, "a filter");
    Type body = type(x.body, inner), otherwise = type(x.otherwise, scope);
    switch (x.op) {
      case ReduceOp::kAny:
      case ReduceOp::kAll:
        expect(x.body, inner, Type::kBool, "the body of `" + std::string(reduce_name(x.op)) + "`");
        return Type::kBool;
      case ReduceOp::kCount:
      case ReduceOp::kFirst:
        expect(x.body, inner, Type::kBool, "the body of `" + std::string(reduce_name(x.op)) + "`");
        return Type::kInt;
      case ReduceOp::kArgmax:
      case ReduceOp::kArgmin:
      case ReduceOp::kNth:
        return Type::kInt;
      case ReduceOp::kMean:
      case ReduceOp::kNamed:
        if (body == Type::kBool)
          problem(x.body, "type error: a mean of conditions", "a number", body);
        return body == Type::kComplex ? body : Type::kFloat;
      default:
        if (body == Type::kBool) {
          problem(x.body, "type error: a reduction of conditions", "a number", body,
                  "use count, any or all");
        }
        return is_number(otherwise) && otherwise > body ? otherwise : body;
    }
  }

  Type call(const Call& x, const IndexScope& scope) {
    if (const auto known = call_function_type(x.function)) return *known;
    for (const ExprPtr& arg : x.args) type(arg, scope);
    const Helper* helper = context_.helper(x.function);
    if (!helper || ++depth_ > 16) return --depth_, Type::kUnknown;
    // The helper's own body is checked once by itself; here only its type is asked.
    bool reports = reports_;
    reports_ = false;
    IndexScope inner = scope;
    auto saved = locals_;
    for (std::size_t i = 0; i < helper->params.size() && i < x.args.size(); ++i) {
      inner.indices.erase(helper->params[i]);
      locals_[helper->params[i]] = type(x.args[i], scope);
    }
    Type result = type(helper->body, inner);
    locals_ = std::move(saved);
    reports_ = reports;
    --depth_;
    return result;
  }

  const CheckContext& context_;
  std::string field_;
  std::map<std::string, Type> locals_;
  std::set<std::pair<std::int32_t, std::int32_t>> reported_;
  bool reports_ = false;
  int depth_ = 0;
};

}  // namespace

void check_types(const CheckContext& context) {
  TypeChecker(context).run();
}

}  // namespace tileops::spec
