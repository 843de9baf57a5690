// The definition specialised for one call: statements in order of dependence.
#include "spec/instantiate.h"

#include <algorithm>
#include <set>

#include "spec/fold.h"
#include "spec/instantiate_statement.h"
#include "spec/print.h"
#include "spec/rewrite.h"
#include "tileops/error.h"

namespace tileops::spec {

const TensorInstance* Instance::find(std::string_view tensor) const {
  for (const TensorInstance& candidate : tensors) {
    if (candidate.name == tensor) return &candidate;
  }
  return nullptr;
}

namespace {

Error not_yet(const OpSpec& op, const std::string& construct, const std::string& text) {
  return Error(
      ErrorKind::kNotImplemented,
      {op.name, text, "a construct that is evaluated (" + construct + " is not yet)", {}, {}});
}

std::string target_of(const Define& define) {
  return define.target.tensor + (define.target.primed ? "'" : "");
}

/// Tensors that a statement reads.
std::set<std::string> reads_of(const Define& define) {
  std::set<std::string> out;
  for (const ExprPtr& expr : {define.value, define.otherwise, define.domain}) {
    for_each_node(expr, [&](const ExprPtr& node) {
      if (const auto* access = get_if<Access>(node)) {
        out.insert(access->tensor + (access->primed ? "'" : ""));
      }
      if (const auto* name = get_if<Name>(node)) out.insert(name->name);
    });
  }
  return out;
}

/// Producers before their readers, otherwise in the order of the text.
class Order {
 public:
  Order(const OpSpec& op, std::vector<Define> defines) : op_(op), defines_(std::move(defines)) {}

  std::vector<Define> run() {
    for (std::size_t i = 0; i < defines_.size(); ++i) visit(i);
    return std::move(out_);
  }

 private:
  void visit(std::size_t i) {
    if (done_.count(i)) return;
    if (!open_.insert(i).second) {
      throw not_yet(op_, "a tensor that depends on itself", print(Statement(defines_[i])));
    }
    std::set<std::string> reads = reads_of(defines_[i]);
    for (std::size_t j = 0; j < defines_.size(); ++j) {
      if (reads.count(target_of(defines_[j]))) visit(j);
    }
    open_.erase(i);
    done_.insert(i);
    out_.push_back(defines_[i]);
  }

  const OpSpec& op_;
  std::vector<Define> defines_, out_;
  std::set<std::size_t> done_, open_;
};

/// Statements that hold in this call, helpers put in.
std::vector<Define> expanded(const OpSpec& op, const Prelude& prelude, const Scope& scope) {
  std::vector<Define> out;
  Expander expander(op.definition, prelude);
  for (const Statement& statement : op.definition) {
    if (std::get_if<Scatter>(&statement)) throw not_yet(op, "a scatter", print(statement));
    const auto* define = std::get_if<Define>(&statement);
    if (!define || (define->when && !evaluate_bool(define->when, scope))) continue;
    if (define->start) throw not_yet(op, "a recurrence", print(statement));
    Define copy = *define;
    copy.value = expander.expand(define->value);
    copy.otherwise = expander.expand(define->otherwise);
    copy.domain = expander.expand(define->domain);
    copy.when = nullptr;
    out.push_back(std::move(copy));
  }
  return out;
}

}  // namespace

Instance instantiate(std::shared_ptr<const OpSpec> op,
                     std::shared_ptr<const Prelude> prelude,
                     const CallShapes& call,
                     const Sizes& sizes) {
  Instance instance;
  instance.op = std::move(op);
  instance.prelude = std::move(prelude);
  instance.params.assign(call.params.begin(), call.params.end());
  instance.sizes = sizes;
  Scope scope(*instance.op, call, sizes);
  InstanceTensors tensors(scope, call, infer_outputs(*instance.op, call, sizes));
  for (const Define& define :
       Order(*instance.op, expanded(*instance.op, *instance.prelude, scope)).run()) {
    instance.statements.emplace_back(StatementInstantiator(scope, tensors).run(define));
  }
  instance.tensors = tensors.take();
  return instance;
}

namespace {

/// Types for a body that was put together from typed arguments.
ExprPtr typed(const ExprPtr& expr) {
  if (expr->type != Type::kUnknown) return expr;
  return folded(with_children(expr, typed)->node, expr->span);
}

}  // namespace

ExprPtr prelude_body(const Prelude& prelude, const Call& call) {
  const Helper* helper = prelude.find(call.function);
  if (!helper || helper->composition || helper->params.size() != call.args.size()) {
    throw Error(ErrorKind::kValue,
                {{}, call.function, "a function of the prelude with as many arguments", {}, {}});
  }
  Substitution with;
  for (std::size_t i = 0; i < call.args.size(); ++i) with.names[helper->params[i]] = call.args[i];
  return typed(substitute(helper->body, with));
}

}  // namespace tileops::spec
