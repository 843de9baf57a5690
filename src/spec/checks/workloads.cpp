// Workloads are calls that the entry itself allows.
#include <algorithm>

#include "spec/checks/context.h"
#include "spec/instantiate.h"
#include "spec/nearest_name.h"
#include "spec/rewrite.h"
#include "tileops/error.h"

namespace tileops::spec {
namespace {

/// Axes and groups that the shapes of inputs name; the sizes of a workload.
void names_of_sizes(const CheckContext& context,
                    std::vector<std::string>& axes,
                    std::vector<std::string>& groups) {
  for (const TensorSpec& tensor : context.op.inputs) {
    for_each_node(tensor.shape, [&](const ExprPtr& node) {
      const auto* literal = get_if<ShapeLit>(node);
      if (!literal) return;
      for (const Subscript& dim : literal->dims) {
        if (dim.kind != Subscript::Kind::kExpr) {
          groups.push_back(dim.group);
          continue;
        }
        for_each_node(dim.expr, [&](const ExprPtr& part) {
          const auto* name = get_if<Name>(part);
          const Symbol* symbol = name ? context.find(name->name) : nullptr;
          if (symbol && symbol->kind == SymbolKind::kAxis) axes.push_back(name->name);
        });
      }
    });
  }
}

bool has(const std::vector<std::string>& list, const std::string& name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

class WorkloadChecker {
 public:
  explicit WorkloadChecker(const CheckContext& context) : context_(context) {
    names_of_sizes(context, axes_, groups_);
    known_ = axes_;
    for (const std::string& group : groups_) known_.push_back(group.empty() ? "..." : group);
    for (const ParamSpec& param : context.op.params) known_.push_back(param.name);
  }

  void run(const Workload& workload) {
    field_ = "workloads." + workload.label;
    bool complete = true;
    auto unknown = [&](const std::string& name) {
      problem(workload, "unknown axis or parameter `" + name + "`", name_list(known_),
              did_you_mean(name, known_));
      complete = false;
    };
    for (const auto& [name, size] : workload.axes) {
      if (!has(axes_, name)) unknown(name);
      if (size < 0) problem(workload, "axis " + name + " has a negative size", "at least 0", {});
    }
    for (const auto& [name, sizes] : workload.groups) {
      if (!has(groups_, name)) unknown(name.empty() ? "..." : name);
    }
    auto missing = [&](const std::string& name) {
      problem(workload, "axis `" + name + "` has no size", {}, "add `" + name + ": ...`");
      complete = false;
    };
    for (const std::string& name : axes_) {
      if (complete && !workload.axes.count(name)) missing(name);
    }
    for (const std::string& name : groups_) {
      if (complete && !workload.groups.count(name)) missing(name.empty() ? "..." : name);
    }
    for (DType dtype : workload.dtypes) {
      if (complete) call(workload, dtype);
    }
  }

 private:
  void problem(const Workload& workload, std::string text, std::string expected, std::string mend) {
    context_.problem(workload.span, field_, std::move(text), std::move(expected), {},
                     std::move(mend));
  }

  void call(const Workload& workload, DType dtype) {
    const OpSpec& op = context_.op;
    bool taken = std::any_of(op.inputs.begin(), op.inputs.end(), [&](const TensorSpec& tensor) {
      const auto& list = tensor.dtype.any_of;
      return std::find(list.begin(), list.end(), dtype) != list.end();
    });
    if (!taken) {
      problem(workload, "no input takes " + std::string(dtype_name(dtype)), "a dtype of an input",
              {});
      return;
    }
    try {
      WorkloadCall made = workload_call(op, workload, dtype);
      CallShapes shapes{made.inputs, made.params};
      infer_outputs(op, shapes, solve_sizes(op, shapes));
    } catch (const Error& error) {
      bool rule = error.parts().argument == "rule";
      context_.problem(
          workload.span, field_,
          rule ? "the workload breaks the rule " + error.parts().expected
               : "the workload is not a legal call",
          rule ? std::string() : error.parts().argument + ": " + error.parts().expected,
          error.parts().actual, {});
    }
  }

  const CheckContext& context_;
  std::string field_;
  std::vector<std::string> axes_, groups_, known_;
};

}  // namespace

void check_workloads(const CheckContext& context) {
  if (context.op.workloads.empty()) {
    context.problem(context.op.span, "workloads", "no workloads", "one at least");
    return;
  }
  WorkloadChecker checker(context);
  for (const Workload& workload : context.op.workloads) checker.run(workload);
}

}  // namespace tileops::spec
