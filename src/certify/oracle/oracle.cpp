// The oracle's face: ranges of an output, spread over threads.
#include "certify/oracle/oracle.h"

#include <omp.h>

#include <algorithm>
#include <exception>
#include <mutex>

#include "certify/oracle/worker.h"
#include "tileops/error.h"

namespace tileops::certify::oracle {
namespace {

Rounding rounding_of(const spec::OpSpec& op) {
  Rounding out;
  DType type = op.accumulate.type;
  out.unit = unit_roundoff(type);
  if (type == DType::kFloat64) {
    out.half_range = 0x1p+1022;
    out.smallest = 0x1p-1022;
  } else if (type == DType::kFloat16) {
    out.half_range = 32752;
    out.smallest = 0x1p-14;
  }
  return out;
}

/// Operations for one element, with reductions that do not vary along the last axis apart.
struct Cost {
  double element = 0;  ///< for each element
  double row = 0;      ///< once a row
};

class CostOf {
 public:
  explicit CostOf(const Program& program) : program_(program) {}

  Cost statement(const StatementProgram& statement) const {
    Cost cost;
    last_ = statement.rank - 1;
    add(statement.value, 1, false, cost);
    return cost;
  }
  bool shares(const StatementProgram& statement) const {
    return statement.rank > 0 && this->statement(statement).row > 0;
  }

 private:
  void add(int index, double times, bool row, Cost& cost) const {
    const Node& n = program_.nodes[static_cast<std::size_t>(index)];
    bool own_row = row;
    double inner = times;
    if (n.kind == NodeKind::kReduce) {
      own_row = row || last_ < 0 || (n.slots >> last_ & 1) == 0;
      for (const Range& range : n.ranges) inner *= size_of(range);
      add(n.body, inner, own_row, cost);
      if (n.filter >= 0) add(n.filter, inner, own_row, cost);
    }
    for (int arg : n.args) add(arg, times, row, cost);
    bool works = n.kind == NodeKind::kApply || n.kind == NodeKind::kReduce;
    if (works) (own_row ? cost.row : cost.element) += inner;
  }
  /// Ranges that depend on other indices count half.
  double size_of(const Range& range) const {
    const Node& lo = program_.nodes[static_cast<std::size_t>(range.lo)];
    const Node& hi = program_.nodes[static_cast<std::size_t>(range.hi)];
    bool known = lo.kind == NodeKind::kConst && hi.kind == NodeKind::kConst;
    return known ? std::max(0.0, hi.value - lo.value) : 512;
  }

  const Program& program_;
  mutable int last_ = -1;
};

}  // namespace

struct Oracle::Impl {
  Program program;
  Rounding rounding;
  std::vector<TensorView> tensors;  ///< by position; inputs are bound

  const StatementProgram& statement_of_output(int output) const {
    for (std::size_t i = 0; i < program.instance->tensors.size(); ++i) {
      const spec::TensorInstance& tensor = program.instance->tensors[i];
      bool is = tensor.kind == spec::TensorInstance::Kind::kOutput && tensor.position == output;
      int statement = program.statement_of[i];
      if (is && statement >= 0) return program.statements[static_cast<std::size_t>(statement)];
    }
    throw Error(ErrorKind::kNotImplemented, {program.instance->op->name,
                                             "output " + std::to_string(output),
                                             "an output that one statement defines",
                                             "none",
                                             {}});
  }
  const std::vector<std::int64_t>& shape_of(const StatementProgram& statement) const {
    return program.instance->tensors[static_cast<std::size_t>(statement.tensor)].shape;
  }
};

Oracle::Oracle(std::shared_ptr<const spec::Instance> instance, Profile profile)
    : impl_(std::make_unique<Impl>()) {
  impl_->program = compile(std::move(instance));
  impl_->rounding = rounding_of(*impl_->program.instance->op);
  impl_->rounding.truncating = profile.truncating_matrix_units;
  impl_->tensors.resize(impl_->program.instance->tensors.size());
}

Oracle::~Oracle() = default;

void Oracle::bind(std::span<const TensorView> inputs) {
  for (std::size_t i = 0; i < impl_->tensors.size(); ++i) {
    const spec::TensorInstance& tensor = impl_->program.instance->tensors[i];
    if (tensor.kind == spec::TensorInstance::Kind::kInput) {
      impl_->tensors[i] = inputs[static_cast<std::size_t>(tensor.position)];
    }
  }
}

namespace {

/// A stretch of rows times a block of the last axis: what one thread evaluates at a time.
struct Task {
  std::int64_t first_row, rows, column;
  int columns;
};

}  // namespace

Values Oracle::evaluate(int output, std::int64_t begin, std::int64_t end, int threads) {
  const StatementProgram& statement = impl_->statement_of_output(output);
  const auto& shape = impl_->shape_of(statement);
  std::int64_t columns = shape.empty() ? 1 : shape.back();
  Values values;
  auto count = static_cast<std::size_t>(std::max<std::int64_t>(0, end - begin));
  values.x.resize(count), values.e.resize(count), values.b.resize(count);
  if (count == 0) return values;
  std::int64_t first_row = begin / columns, last_row = (end - 1) / columns;
  // Blocks of columns outermost: a packed panel serves all rows of the stretch.
  std::int64_t stretch = std::max<std::int64_t>(1, (last_row - first_row + threads) / threads);
  std::vector<Task> tasks;
  for (std::int64_t row = first_row; row <= last_row; row += stretch) {
    for (std::int64_t column = 0; column < columns; column += kLanes) {
      tasks.push_back({row, std::min(stretch, last_row - row + 1), column,
                       static_cast<int>(std::min<std::int64_t>(kLanes, columns - column))});
    }
  }
  auto position = static_cast<int>(&statement - impl_->program.statements.data());
  std::exception_ptr failure;
  std::mutex mutex;
  auto work = [&](Worker& worker, const Task& task) {
    Block block;
    std::vector<std::int64_t> index(shape.size());
    for (std::int64_t row = task.first_row; row < task.first_row + task.rows; ++row) {
      std::int64_t from = std::max(begin, row * columns + task.column);
      std::int64_t to = std::min(end, row * columns + task.column + task.columns);
      if (from >= to) continue;
      std::int64_t rest = row;
      for (std::size_t axis = shape.size(); axis-- > 1;) {
        index[axis - 1] = rest % shape[axis - 1];
        rest /= shape[axis - 1];
      }
      if (!shape.empty()) index.back() = from - row * columns;
      worker.evaluate(position, index, static_cast<int>(to - from), block);
      block.make_inexact();
      auto at = static_cast<std::ptrdiff_t>(from - begin);
      std::copy_n(block.x.begin(), to - from, values.x.begin() + at);
      std::copy_n(block.e.begin(), to - from, values.e.begin() + at);
      std::copy_n(block.b.begin(), to - from, values.b.begin() + at);
    }
  };
  auto task_count = static_cast<std::int64_t>(tasks.size());
#pragma omp parallel num_threads(std::max(1, threads)) if (task_count > 1)
  {
    Worker worker(impl_->program, impl_->tensors, impl_->rounding);
#pragma omp for schedule(dynamic)
    for (std::int64_t i = 0; i < task_count; ++i) {
      try {
        work(worker, tasks[static_cast<std::size_t>(i)]);
      } catch (...) {
        std::lock_guard lock(mutex);
        failure = std::current_exception();
      }
    }
  }
  if (failure) std::rethrow_exception(failure);
  return values;
}

double Oracle::cost_per_element(int output) const {
  const StatementProgram& target = impl_->statement_of_output(output);
  CostOf cost_of(impl_->program);
  double total = 0, elements = 1;
  for (std::int64_t size : impl_->shape_of(target)) elements *= static_cast<double>(size);
  for (const StatementProgram& statement : impl_->program.statements) {
    bool other_output =
        impl_->program.instance->tensors[static_cast<std::size_t>(statement.tensor)].kind ==
            spec::TensorInstance::Kind::kOutput &&
        &statement != &target;
    if (other_output) continue;
    double size = 1;
    for (std::int64_t n : impl_->shape_of(statement)) size *= static_cast<double>(n);
    const auto& shape = impl_->shape_of(statement);
    double rows = shape.empty() || shape.back() == 0 ? 1 : size / static_cast<double>(shape.back());
    Cost cost = cost_of.statement(statement);
    total += cost.element * size + cost.row * rows;
  }
  return std::max(1.0, elements > 0 ? total / elements : 1.0);
}

std::int64_t Oracle::elements_per_row(int output) const {
  const StatementProgram& target = impl_->statement_of_output(output);
  const auto& shape = impl_->shape_of(target);
  if (shape.empty()) return 1;
  CostOf cost_of(impl_->program);
  bool locals = impl_->program.statements.size() > 1;
  return locals || cost_of.shares(target) ? std::max<std::int64_t>(1, shape.back()) : 1;
}

/// Elements that read the same reduction share its error: they differ in the axes that it does not
/// depend on.
double Oracle::independent_share(int output) const {
  const StatementProgram& target = impl_->statement_of_output(output);
  const auto& shape = impl_->shape_of(target);
  // Locals are not looked into: they may all depend on a row.
  double share = impl_->program.statements.size() > 1 && !shape.empty()
                     ? 1 / static_cast<double>(std::max<std::int64_t>(1, shape.back()))
                     : 1;
  std::vector<int> open{target.value};
  while (!open.empty()) {
    const Node& n = impl_->program.nodes[static_cast<std::size_t>(open.back())];
    open.pop_back();
    open.insert(open.end(), n.args.begin(), n.args.end());
    if (n.kind != NodeKind::kReduce) continue;
    double shared = 1;
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
      const bool depends = (n.slots >> axis & 1) != 0;
      if (!depends) shared *= static_cast<double>(std::max<std::int64_t>(1, shape[axis]));
    }
    share = std::min(share, 1 / shared);
  }
  return share;
}

}  // namespace tileops::certify::oracle
