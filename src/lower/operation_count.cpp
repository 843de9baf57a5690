// Counting the definition itself, statement by statement.
#include "lower/operation_count.h"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "spec/instantiate.h"
#include "spec/rewrite.h"
#include "spec/structure.h"

namespace tileops::lower {
namespace {

using spec::ExprPtr;
using spec::get_if;

/// Sizes of the indices around an expression, by name.
using Loops = std::map<std::string, double>;

/// exp, log and the like; divisions and square roots are as cheap as a machine's own instruction.
bool is_costly(spec::Op op) {
  return (op >= spec::Op::kExp && op <= spec::Op::kLgamma) || op == spec::Op::kPow;
}

class Counter {
 public:
  explicit Counter(const spec::Instance& instance) : instance_(instance) {}

  OperationCount run() {
    for (const spec::Statement& statement : instance_.statements) {
      const auto* define = std::get_if<spec::Define>(&statement);
      if (!define) continue;
      const spec::TensorInstance* target = instance_.find(define->target.tensor);
      Loops loops;
      for (std::size_t i = 0; i < define->indices.size() && target; ++i) {
        loops[define->indices[i].name] = static_cast<double>(target->shape[i]);
      }
      seen_.clear();
      count(define->value, loops);
    }
    for (const spec::TensorInstance& tensor : instance_.tensors) {
      if (tensor.kind == spec::TensorInstance::Kind::kLocal) continue;
      auto bytes = static_cast<double>(size_bytes(tensor.dtype));
      for (std::int64_t size : tensor.shape) bytes *= static_cast<double>(size);
      bool input = tensor.kind == spec::TensorInstance::Kind::kInput;
      (input ? out_.bytes_read : out_.bytes_written) += bytes;
    }
    return out_;
  }

 private:
  /// How often an expression is evaluated: over the indices that it depends on.
  static double times(const ExprPtr& expr, const Loops& loops) {
    std::map<std::string, double> used;
    spec::for_each_node(expr, [&](const ExprPtr& node) {
      const auto* name = get_if<spec::Name>(node);
      auto loop = name ? loops.find(name->name) : loops.end();
      if (loop != loops.end()) used[loop->first] = loop->second;
    });
    double product = 1;
    for (const auto& [name, size] : used) product *= size;
    return product;
  }

  void count(const ExprPtr& expr, const Loops& loops) {
    if (!seen_.emplace(expr, 1).second) return;  // written twice, computed once
    if (get_if<spec::Access>(expr)) return;      // addresses are free
    if (const auto* reduce = get_if<spec::Reduce>(expr)) {
      Loops inner = loops;
      double terms = 1;
      for (const spec::Binder& binder : reduce->binders) {
        const auto* lo = get_if<spec::IntLit>(binder.lo);
        const auto* hi = get_if<spec::IntLit>(binder.hi);
        double size =
            lo && hi ? static_cast<double>(std::max<std::int64_t>(0, hi->value - lo->value)) : 1;
        inner[binder.name] = size;
        terms *= size;
      }
      out_.flops += times(expr, loops) * terms;
      count(reduce->body, inner);
      if (reduce->filter) count(reduce->filter, inner);
      if (reduce->op == spec::ReduceOp::kMean) out_.flops += times(expr, loops);
      return;
    }
    if (const auto* call = get_if<spec::Call>(expr)) {
      count(spec::prelude_body(*instance_.prelude, *call), loops);
      return;
    }
    if (const auto* apply = get_if<spec::Apply>(expr); apply && expr->type == spec::Type::kFloat) {
      double n = times(expr, loops);
      out_.flops += n;
      if (is_costly(apply->op)) out_.functions += n;
    }
    spec::for_each_child(expr, [&](const ExprPtr& child) { count(child, loops); });
  }

  const spec::Instance& instance_;
  std::unordered_map<ExprPtr, int, spec::ExprHash, spec::ExprEqual> seen_;
  OperationCount out_;
};

}  // namespace

OperationCount count_operations(const spec::Instance& instance) {
  return Counter(instance).run();
}

}  // namespace tileops::lower
