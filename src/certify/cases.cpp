// Each property is spread over dtypes and parameters at the base size; sizes take turns through the
// parameter sets, so that every pair of a size and a parameter set need not be run.
#include "certify/cases.h"

#include <optional>
#include <utility>

#include "certify/size_variants.h"
#include "tileops/error.h"

namespace tileops::certify {
namespace {

constexpr Layout kViews[] = {Layout::kUnaligned, Layout::kPadded, Layout::kStrided,
                             Layout::kTransposed, Layout::kBroadcast};
constexpr Data kHostile[] = {Data::kConstant, Data::kSorted,     Data::kInfinities,
                             Data::kNans,     Data::kZeros,      Data::kDenormals,
                             Data::kExtremes, Data::kTies,       Data::kMixed,
                             Data::kIntegers, Data::kRowNeedles, Data::kColumnNeedles};

std::string params_label(const spec::OpSpec& op, const std::vector<ParamValue>& values) {
  std::string label;
  for (std::size_t i = 0; i < values.size(); ++i) {
    label += " " + op.params[i].name + "=" + param_text(values[i]);
  }
  return label;
}

class CaseMaker {
 public:
  explicit CaseMaker(const spec::OpSpec& op)
      : op_(op), dtypes_(free_dtypes(op)), params_(param_variants(op)), sizes_(size_variants(op)) {}

  std::vector<Case> make() {
    if (sizes_.empty()) return {};
    for (const DType dtype : dtypes_) {
      for (const NamedParams& params : params_) {
        if (auto call = legal_call(op_, sizes_.front().sizes, params, dtype)) {
          add(sizes_.front(), std::move(*call), dtype, {}, {});
        }
      }
      for (std::size_t i = 1; i < sizes_.size(); ++i) add_next(sizes_[i], dtype, {}, {});
      for (const SizeVariant& size : sizes_) {
        if (!size.roomy) continue;
        for (const Layout layout : kViews) add_next(size, dtype, layout, {});
        for (const Data data : kHostile) add_next(size, dtype, {}, data);
        add_broadcasts(size, dtype);
      }
    }
    return std::move(cases_);
  }

 private:
  /// The next parameter set, in turn, that is legal at these sizes.
  std::optional<spec::WorkloadCall> next_call(const SizeVariant& size, DType dtype) {
    for (std::size_t tries = 0; tries < params_.size(); ++tries) {
      auto call = legal_call(op_, size.sizes, params_[turn_++ % params_.size()], dtype);
      if (call) return call;
    }
    return std::nullopt;
  }

  void add_next(const SizeVariant& size, DType dtype, Layout layout, Data data) {
    if (auto call = next_call(size, dtype)) add(size, std::move(*call), dtype, layout, data);
  }

  /// One input after the other with its last leading axis 1, with fewer of them, with none.
  void add_broadcasts(const SizeVariant& size, DType dtype) {
    const auto leading = size.sizes.groups.find("");
    if (op_.inputs.size() < 2 || leading == size.sizes.groups.end()) return;
    const Ints& whole = leading->second;
    for (std::size_t i = 0; i < op_.inputs.size(); ++i) {
      for (const std::size_t kept : {whole.size(), whole.size() / 2, std::size_t{0}}) {
        auto call = next_call(size, dtype);
        if (!call || !call->inputs[i].given()) continue;
        const TensorView& view = call->inputs[i];
        if (view.shape().size() < whole.size()) continue;
        Ints shape(whole.end() - static_cast<std::ptrdiff_t>(kept), whole.end());
        if (kept == whole.size() && kept > 0) shape.back() = 1;
        shape.insert(shape.end(), view.shape().begin() + static_cast<std::ptrdiff_t>(whole.size()),
                     view.shape().end());
        call->inputs[i] = TensorView(nullptr, view.dtype, shape);
        if (is_legal(*call)) {
          add(size, std::move(*call), dtype, {}, {},
              " with " + op_.inputs[i].name + " " + shape_text(shape));
        }
      }
    }
  }

  bool is_legal(const spec::WorkloadCall& call) const {
    try {
      spec::solve_sizes(op_, {call.inputs, call.params});
      return true;
    } catch (const Error& error) {
      if (error.kind() == ErrorKind::kBug) throw;
      return false;
    }
  }

  void add(const SizeVariant& size,
           spec::WorkloadCall call,
           DType dtype,
           Layout layout,
           Data data,
           const std::string& more = {}) {
    std::string label =
        size.label + " " + std::string(dtype_name(dtype)) + params_label(op_, call.params) + more;
    if (layout != Layout::kDense) label += " " + std::string(layout_name(layout));
    if (data != Data::kRandom) label += " " + std::string(data_name(data));
    cases_.push_back({std::move(label), std::move(call), layout, data, false});
  }

  const spec::OpSpec& op_;
  std::vector<DType> dtypes_;
  std::vector<NamedParams> params_;
  std::vector<SizeVariant> sizes_;
  std::vector<Case> cases_;
  std::size_t turn_ = 0;  ///< of the parameter sets
};

}  // namespace

std::vector<Case> small_cases(const spec::OpSpec& op) {
  return CaseMaker(op).make();
}

std::vector<Case> catalogue_cases(const spec::OpSpec& op) {
  std::vector<Case> cases;
  for (const spec::Workload& workload : op.workloads) {
    for (const DType dtype : workload.dtypes) {
      cases.push_back({workload.label + " " + std::string(dtype_name(dtype)),
                       spec::workload_call(op, workload, dtype), Layout::kDense, Data::kRandom,
                       true});
    }
  }
  return cases;
}

}  // namespace tileops::certify
