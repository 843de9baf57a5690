// Instance to scalar program. A local is put in where it is read, its indices replaced by the
// subscripts; equal values meet again because nodes are looked up before they are made.
#include <algorithm>
#include <map>
#include <tuple>

#include "lower/scalar_program.h"
#include "spec/fold.h"
#include "spec/instantiate.h"
#include "spec/print.h"
#include "spec/print_expr.h"
#include "spec/rewrite.h"
#include "spec/structure.h"
#include "tileops/error.h"

namespace tileops::lower {
namespace {

using spec::ExprPtr;
using spec::get_if;
using spec::Type;

/// What index names stand for: values.
using Env = std::map<std::string, int>;

class Builder {
 public:
  Builder(const spec::Instance& instance,
          std::span<const TensorView> inputs,
          std::span<const TensorView> outputs)
      : instance_(instance), inputs_(inputs), outputs_(outputs) {
    for (const TensorView& view : inputs) program_.input_dtypes.push_back(view.dtype);
    for (const spec::Statement& statement : instance.statements) {
      const auto* define = std::get_if<spec::Define>(&statement);
      if (!define || define->domain) throw cannot(spec::print(statement));
      if (!defines_.emplace(define->target.tensor, define).second) {
        throw cannot("two statements for " + define->target.tensor);
      }
    }
  }

  ScalarProgram run() {
    for (const spec::TensorInstance& tensor : instance_.tensors) {
      if (tensor.kind == spec::TensorInstance::Kind::kOutput) add_output(tensor);
    }
    return std::move(program_);
  }

 private:
  Error cannot(const std::string& what) const {
    return Error(ErrorKind::kNotImplemented,
                 {instance_.op->name, "definition", "a scalar form", what, {}});
  }

  void add_output(const spec::TensorInstance& tensor) {
    auto define = defines_.find(tensor.name);
    if (define == defines_.end()) throw cannot("no statement for " + tensor.name);
    const TensorView& view = outputs_[static_cast<std::size_t>(tensor.position)];
    OutputProgram out;
    out.output = tensor.position;
    out.dtype = view.dtype;
    Env env;
    for (std::size_t axis = 0; axis < define->second->indices.size(); ++axis) {
      int var = new_var(define->second->indices[axis].name, tensor.shape[axis]);
      out.axes.push_back(var);
      out.steps.push_back(view.steps[axis]);
      env[define->second->indices[axis].name] = var_value(var);
    }
    out.value = value(define->second->value, env);
    program_.outputs.push_back(std::move(out));
  }

  int new_var(const std::string& name, std::int64_t size) {
    if (program_.vars.size() >= kMaxVars) throw cannot("more than 64 loops");
    program_.vars.push_back({name, size});
    return static_cast<int>(program_.vars.size()) - 1;
  }

  int var_value(int var) {
    Value v;
    v.kind = Kind::kVar;
    v.type = Type::kInt;
    v.var = var;
    v.vars = Vars{1} << var;
    return push(std::move(v));
  }

  /// The node that is equal to `v`, or a new one.
  int push(Value v) {
    for (int arg : v.args) v.vars |= program_.at(arg).vars;
    auto key = std::tuple(v.kind, v.type, v.constant, v.integer, v.var, v.op, v.function, v.dtype,
                          v.saturate, v.args, v.input, v.base, v.steps, v.computed);
    bool keyed = v.kind != Kind::kReduce && v.constant == v.constant;
    if (keyed) {
      auto known = known_.find(key);
      if (known != known_.end()) return known->second;
    }
    program_.values.push_back(std::move(v));
    int made = static_cast<int>(program_.values.size()) - 1;
    if (keyed) known_.emplace(std::move(key), made);
    return made;
  }

  int constant(double x, Type type) {
    Value v;
    v.type = type;
    v.constant = x;
    v.integer = type == Type::kInt ? static_cast<std::int64_t>(x) : 0;
    return push(std::move(v));
  }

  int value(const ExprPtr& expr, const Env& env) {
    if (const auto* x = get_if<spec::BoolLit>(expr)) return constant(x->value, Type::kBool);
    if (const auto* x = get_if<spec::FloatLit>(expr)) return constant(x->value, Type::kFloat);
    if (const auto* x = get_if<spec::IntLit>(expr)) {
      Value v;
      v.type = Type::kInt;
      v.integer = x->value;
      v.constant = static_cast<double>(x->value);
      return push(std::move(v));
    }
    if (const auto* x = get_if<spec::Name>(expr)) return env.at(x->name);
    if (const auto* x = get_if<spec::Access>(expr)) return access(*x, expr->type, env);
    if (const auto* x = get_if<spec::Reduce>(expr)) return reduce(*x, expr, env);
    Value v;
    v.type = expr->type;
    if (const auto* x = get_if<spec::Apply>(expr)) {
      v.kind = Kind::kApply;
      v.op = x->op;
      for (const ExprPtr& arg : x->args) v.args.push_back(value(arg, env));
    } else if (const auto* s = get_if<spec::Select>(expr)) {
      v.kind = Kind::kSelect;
      for (const ExprPtr& arg : {s->condition, s->then, s->otherwise}) {
        v.args.push_back(value(arg, env));
      }
    } else if (const auto* c = get_if<spec::Call>(expr)) {
      v.kind = Kind::kCall;
      v.function = c->function;
      for (const ExprPtr& arg : c->args) v.args.push_back(value(arg, env));
      v.expansion = value(spec::prelude_body(*instance_.prelude, *c), env);
    } else if (const auto* r = get_if<spec::RoundTo>(expr)) {
      const auto* dtype = get_if<spec::DTypeLit>(r->dtype);
      if (!dtype) throw cannot(spec::print(expr));
      v.kind = Kind::kRound;
      v.dtype = dtype->value;
      v.saturate = r->saturate;
      v.args.push_back(value(r->value, env));
    } else {
      throw cannot(spec::print(expr));
    }
    return push(std::move(v));
  }

  int access(const spec::Access& x, Type type, const Env& env) {
    const spec::TensorInstance* tensor = instance_.find(x.tensor);
    if (tensor->kind != spec::TensorInstance::Kind::kInput) {
      const spec::Define& define = *defines_.at(x.tensor);
      Env inner;
      for (std::size_t i = 0; i < define.indices.size(); ++i) {
        inner[define.indices[i].name] = value(x.subscripts[i].expr, env);
      }
      return value(define.value, inner);
    }
    Value v;
    v.kind = Kind::kLoad;
    v.type = type;
    v.input = tensor->position;
    v.steps.assign(kMaxVars, 0);
    const TensorView& view = inputs_[static_cast<std::size_t>(v.input)];
    for (std::size_t axis = 0; axis < x.subscripts.size(); ++axis) {
      affine(value(x.subscripts[axis].expr, env), view.steps[axis], v);
    }
    return push(std::move(v));
  }

  /// Adds scale * (an integer value) to the place of a load.
  void affine(int index, std::int64_t scale, Value& load) {
    const Value& v = program_.at(index);
    if (scale == 0) return;
    load.vars |= v.vars;
    if (v.kind == Kind::kConst) {
      load.base += scale * v.integer;
    } else if (v.kind == Kind::kVar) {
      load.steps[static_cast<std::size_t>(v.var)] += scale;
    } else if (v.kind == Kind::kApply && (v.op == spec::Op::kAdd || v.op == spec::Op::kSub)) {
      int left = v.args[0], right = v.args[1];
      std::int64_t sign = v.op == spec::Op::kAdd ? scale : -scale;
      affine(left, scale, load);
      affine(right, sign, load);
    } else if (v.kind == Kind::kApply && v.op == spec::Op::kMul &&
               program_.at(v.args[0]).kind == Kind::kConst) {
      affine(v.args[1], scale * program_.at(v.args[0]).integer, load);
    } else if (v.kind == Kind::kApply && v.op == spec::Op::kMul &&
               program_.at(v.args[1]).kind == Kind::kConst) {
      affine(v.args[0], scale * program_.at(v.args[1]).integer, load);
    } else {
      load.computed.emplace_back(index, scale);
    }
  }

  static Env used_names(const ExprPtr& expr, const Env& env) {
    Env used;
    spec::for_each_node(expr, [&](const ExprPtr& node) {
      const auto* name = get_if<spec::Name>(node);
      const auto at = name ? env.find(name->name) : env.end();
      if (at != env.end()) used.insert(*at);
    });
    return used;
  }

  int reduce(const spec::Reduce& x, const ExprPtr& expr, const Env& env) {
    // Equal trees are one reduction where the names that they use mean the same.
    const Env used = used_names(expr, env);
    for (const auto& [other, surroundings, node] : reductions_) {
      if (surroundings == used && spec::equal(other, expr)) return node;
    }
    Value v;
    v.kind = Kind::kReduce;
    v.type = expr->type;
    v.reduce = x.op;
    v.ties = x.ties;
    v.nan = x.nan;
    Env inner = env;
    Vars bound = 0;
    for (const spec::Binder& binder : x.binders) {
      int lo = value(binder.lo, inner), hi = value(binder.hi, inner);
      bool plain = program_.at(lo).kind == Kind::kConst && program_.at(lo).integer == 0 &&
                   program_.at(hi).kind == Kind::kConst;
      int var = new_var(binder.name, plain ? program_.at(hi).integer : -1);
      v.over.push_back(var);
      v.bounds.emplace_back(lo, hi);
      v.vars |= program_.at(lo).vars | program_.at(hi).vars;
      bound |= Vars{1} << var;
      inner[binder.name] = var_value(var);
    }
    v.body = value(x.body, inner);
    v.vars |= program_.at(v.body).vars;
    if (x.filter) {
      v.filter = value(x.filter, inner);
      v.vars |= program_.at(v.filter).vars;
    }
    if (x.otherwise) {
      v.otherwise = value(x.otherwise, env);
      v.vars |= program_.at(v.otherwise).vars;
    }
    v.vars &= ~bound;
    int made = push(std::move(v));
    reductions_.emplace_back(expr, used, made);
    return made;
  }

  using ValueKey = std::tuple<Kind,
                              Type,
                              double,
                              std::int64_t,
                              int,
                              spec::Op,
                              std::string,
                              DType,
                              bool,
                              std::vector<int>,
                              int,
                              std::int64_t,
                              std::vector<std::int64_t>,
                              std::vector<std::pair<int, std::int64_t>>>;

  const spec::Instance& instance_;
  std::span<const TensorView> inputs_, outputs_;
  std::map<std::string, const spec::Define*> defines_;
  std::map<ValueKey, int> known_;
  std::vector<std::tuple<ExprPtr, Env, int>> reductions_;
  ScalarProgram program_;
};

}  // namespace

ScalarProgram build_scalar_program(const spec::Instance& instance,
                                   std::span<const TensorView> inputs,
                                   std::span<const TensorView> outputs) {
  return Builder(instance, inputs, outputs).run();
}

}  // namespace tileops::lower
