// Statements to nodes.
#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_map>

#include "certify/oracle/program.h"
#include "spec/fold.h"
#include "spec/instantiate.h"
#include "spec/names.h"
#include "spec/print.h"
#include "spec/print_expr.h"
#include "spec/structure.h"
#include "tileops/error.h"

namespace tileops::certify::oracle {

using spec::Access;
using spec::Apply;
using spec::ExprPtr;
using spec::get_if;
using spec::Type;

double unit_roundoff(DType dtype) {
  switch (dtype) {
    case DType::kFloat8E5M2:
      return std::ldexp(1.0, -3);
    case DType::kFloat8E4M3:
      return std::ldexp(1.0, -4);
    case DType::kBFloat16:
      return std::ldexp(1.0, -8);
    case DType::kFloat16:
      return std::ldexp(1.0, -11);
    case DType::kFloat64:
    case DType::kComplex128:
      return std::ldexp(1.0, -53);
    default:
      return std::ldexp(1.0, -24);
  }
}

double Program::function_roundoff(spec::Op op) const {
  const auto& may = instance->op->may_approximate;
  bool approximate = std::find(may.begin(), may.end(), spec::op_name(op)) != may.end();
  return std::ldexp(1.0, approximate ? -11 : -22);
}

namespace {

class Compiler {
 public:
  explicit Compiler(std::shared_ptr<const spec::Instance> instance) {
    program_.instance = std::move(instance);
    program_.statement_of.assign(program_.instance->tensors.size(), -1);
  }

  Program run() {
    for (const spec::TensorInstance& tensor : program_.instance->tensors) check(tensor);
    for (const spec::Statement& statement : program_.instance->statements) {
      const auto* define = std::get_if<spec::Define>(&statement);
      if (!define) throw cannot(spec::print(statement));
      add(*define);
    }
    return std::move(program_);
  }

 private:
  Error cannot(const std::string& what) const {
    return Error(
        ErrorKind::kNotImplemented,
        {program_.instance->op->name, "definition", "what the oracle can evaluate", what, {}});
  }

  void check(const spec::TensorInstance& tensor) const {
    bool output = tensor.kind == spec::TensorInstance::Kind::kOutput;
    bool wide = tensor.dtype == DType::kFloat64 || is_complex(tensor.dtype);
    if ((output && wide) || tensor.type == Type::kComplex) {
      throw cannot(tensor.name + " of " + std::string(dtype_name(tensor.dtype)));
    }
  }

  int tensor_of(const std::string& name) const {
    const auto& tensors = program_.instance->tensors;
    for (std::size_t i = 0; i < tensors.size(); ++i) {
      if (tensors[i].name == name) return static_cast<int>(i);
    }
    throw cannot("tensor " + name);
  }

  void add(const spec::Define& define) {
    slots_.clear();
    known_.clear();
    next_slot_ = 0;
    StatementProgram statement;
    statement.tensor = tensor_of(define.target.tensor);
    statement.rank = static_cast<int>(define.indices.size());
    for (const spec::Binder& index : define.indices) slots_[index.name] = new_slot();
    statement.value = node(define.value);
    if (define.domain) statement.domain = node(define.domain);
    statement.slot_count = next_slot_;
    statement.round_to = may_round(define.target.tensor);
    int& place = program_.statement_of[static_cast<std::size_t>(statement.tensor)];
    if (place != -1) throw cannot("two statements for " + define.target.tensor);
    place = static_cast<int>(program_.statements.size());
    program_.statements.push_back(statement);
  }

  double may_round(const std::string& local) const {
    const auto& rules = program_.instance->op->may_round;
    auto rule = rules.find(local);
    if (rule == rules.end()) return 0;
    if (!rule->second.any_of.empty()) return unit_roundoff(rule->second.any_of.front());
    const spec::TensorInstance* like = program_.instance->find(rule->second.same_as);
    return like ? unit_roundoff(like->dtype) : 0;
  }

  int new_slot() {
    if (next_slot_ >= kMaxSlots)
      throw cannot("more than " + std::to_string(kMaxSlots) + " indices");
    return next_slot_++;
  }

  int push(Node node) {
    program_.nodes.push_back(std::move(node));
    return static_cast<int>(program_.nodes.size()) - 1;
  }
  const Node& at(int node) const { return program_.nodes[static_cast<std::size_t>(node)]; }

  int node(const ExprPtr& expr) {
    auto known = known_.find(expr);
    if (known != known_.end()) return known->second;
    int made = make(expr);
    known_.emplace(expr, made);
    return made;
  }

  int constant(double value, Type type) {
    Node out;
    out.value = value;
    out.type = type;
    return push(std::move(out));
  }

  int make(const ExprPtr& expr) {
    if (const auto* x = get_if<spec::BoolLit>(expr)) return constant(x->value, Type::kBool);
    if (const auto* x = get_if<spec::IntLit>(expr)) {
      return constant(static_cast<double>(x->value), Type::kInt);
    }
    if (const auto* x = get_if<spec::FloatLit>(expr)) return constant(x->value, Type::kFloat);
    if (const auto* x = get_if<spec::Name>(expr)) {
      Node out;
      out.kind = NodeKind::kIndex;
      out.type = Type::kInt;
      out.slot = slots_.at(x->name);
      out.slots = Slots{1} << out.slot;
      return push(std::move(out));
    }
    if (const auto* x = get_if<Access>(expr)) return access(*x, expr->type);
    if (const auto* x = get_if<Apply>(expr)) return apply(*x, expr->type);
    if (const auto* x = get_if<spec::Select>(expr)) {
      return with_args(NodeKind::kSelect, expr->type, {x->condition, x->then, x->otherwise});
    }
    if (const auto* x = get_if<spec::RoundTo>(expr)) {
      const auto* dtype = get_if<spec::DTypeLit>(x->dtype);
      if (!dtype) throw cannot(spec::print(expr));
      int made = with_args(NodeKind::kRound, Type::kFloat, {x->value});
      program_.nodes.back().dtype = dtype->value;
      program_.nodes.back().saturate = x->saturate;
      return made;
    }
    if (const auto* x = get_if<spec::Call>(expr)) {
      return node(spec::prelude_body(*program_.instance->prelude, *x));
    }
    if (const auto* x = get_if<spec::Reduce>(expr)) return reduce(*x, expr);
    throw cannot(spec::print(expr));
  }

  int with_args(NodeKind kind, Type type, const std::vector<ExprPtr>& args) {
    Node out;
    out.kind = kind;
    out.type = type;
    for (const ExprPtr& arg : args) {
      int made = node(arg);
      out.args.push_back(made);
      out.slots |= at(made).slots;
      out.exact = out.exact && at(made).exact;
    }
    bool float_select = kind == NodeKind::kSelect || kind == NodeKind::kRound;
    if (type == Type::kFloat && !float_select) out.exact = false;
    return push(std::move(out));
  }

  int apply(const Apply& x, Type type) {
    switch (x.op) {
      case spec::Op::kComplex:
      case spec::Op::kReal:
      case spec::Op::kImag:
      case spec::Op::kConj:
      case spec::Op::kPhilox:
        throw cannot("`" + std::string(spec::op_name(x.op)) + "`");
      default:
        break;
    }
    int made = with_args(NodeKind::kApply, type, x.args);
    program_.nodes.back().op = x.op;
    if (x.op == spec::Op::kNeg || x.op == spec::Op::kAbs) {  // no rounding
      program_.nodes.back().exact = at(program_.nodes.back().args[0]).exact;
    }
    return made;
  }

  int access(const Access& x, Type type) {
    Node out;
    out.tensor = tensor_of(x.tensor);
    const auto& tensor = program_.instance->tensors[static_cast<std::size_t>(out.tensor)];
    bool input = tensor.kind == spec::TensorInstance::Kind::kInput;
    out.kind = input ? NodeKind::kInput : NodeKind::kLocal;
    out.type = type;
    out.exact = input || type != Type::kFloat;
    for (const spec::Subscript& subscript : x.subscripts) {
      Subscript place;
      affine(subscript.expr, 1, place);
      for (int s = 0; s < kMaxSlots; ++s) {
        if (place.coefficients[static_cast<std::size_t>(s)] != 0) place.affine |= Slots{1} << s;
      }
      out.slots |= place.affine | (place.node >= 0 ? at(place.node).slots : 0);
      out.subscripts.push_back(place);
    }
    return push(std::move(out));
  }

  /// Adds scale * expr to a subscript.
  void affine(const ExprPtr& expr, std::int64_t scale, Subscript& out) {
    if (const auto* x = get_if<spec::IntLit>(expr)) {
      out.constant += scale * x->value;
      return;
    }
    if (const auto* x = get_if<spec::Name>(expr)) {
      out.coefficients[static_cast<std::size_t>(slots_.at(x->name))] += scale;
      return;
    }
    if (const auto* x = get_if<Apply>(expr)) {
      if (x->op == spec::Op::kAdd || x->op == spec::Op::kSub) {
        affine(x->args[0], scale, out);
        affine(x->args[1], x->op == spec::Op::kAdd ? scale : -scale, out);
        return;
      }
      for (std::size_t side : {std::size_t{0}, std::size_t{1}}) {
        const auto* factor = get_if<spec::IntLit>(x->args[side]);
        if (x->op == spec::Op::kMul && factor) {
          affine(x->args[1 - side], scale * factor->value, out);
          return;
        }
      }
    }
    if (out.node >= 0 || scale != 1) {
      throw cannot("subscript " + spec::print(expr));
    }
    out.node = node(expr);
  }

  int reduce(const spec::Reduce& x, const ExprPtr& expr) {
    Node out;
    out.kind = NodeKind::kReduce;
    out.type = expr->type;
    out.reduce = x.op;
    out.ties = x.ties;
    out.nan = x.nan;
    if (x.op == spec::ReduceOp::kNth || x.op == spec::ReduceOp::kNamed) {
      throw cannot(spec::print(expr));
    }
    auto outer = slots_;
    Slots bound = 0;
    for (const spec::Binder& binder : x.binders) {
      Range range;
      range.lo = node(binder.lo);
      range.hi = node(binder.hi);
      out.slots |= at(range.lo).slots | at(range.hi).slots;
      range.slot = new_slot();
      bound |= Slots{1} << range.slot;
      slots_[binder.name] = range.slot;
      out.ranges.push_back(range);
    }
    // What was compiled outside must not be taken for what a binder of the same name means.
    auto known = known_;
    out.body = node(x.body);
    if (x.filter) out.filter = node(x.filter);
    known_ = std::move(known);
    slots_ = std::move(outer);
    out.slots |= at(out.body).slots | (out.filter >= 0 ? at(out.filter).slots : 0);
    out.slots &= ~bound;
    if (x.otherwise) out.otherwise = node(x.otherwise);
    out.exact = expr->type != Type::kFloat && at(out.body).exact;
    find_invariants(out.body, bound, out.invariants);
    return push(std::move(out));
  }

  /// Maximal parts that carry errors and do not depend on `bound`.
  void find_invariants(int index, Slots bound, std::vector<int>& out) {
    const Node& part = at(index);
    if (part.exact) return;
    if ((part.slots & bound) == 0) {
      if (std::find(out.begin(), out.end(), index) == out.end()) out.push_back(index);
      return;
    }
    if (part.kind == NodeKind::kReduce) return;
    for (int arg : part.args) find_invariants(arg, bound, out);
  }

  Program program_;
  std::map<std::string, int> slots_;
  std::unordered_map<ExprPtr, int, spec::ExprHash, spec::ExprEqual> known_;
  int next_slot_ = 0;
};

}  // namespace

Program compile(std::shared_ptr<const spec::Instance> instance) {
  return Compiler(std::move(instance)).run();
}

}  // namespace tileops::certify::oracle
