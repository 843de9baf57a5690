// Each property is spread over dtypes and parameters at the base size; sizes take turns through the
// parameter sets, so that every pair of a size and a parameter set need not be run.
#include "certify/cases.h"

#include <utility>

#include "certify/size_variants.h"

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
    std::size_t turn = 0;
    for (const DType dtype : dtypes_) {
      for (const NamedParams& params : params_) add(sizes_.front(), params, dtype, {}, {});
      for (std::size_t i = 1; i < sizes_.size(); ++i) {
        add(sizes_[i], params_[turn++ % params_.size()], dtype, {}, {});
      }
      for (const SizeVariant& size : roomy()) {
        for (const Layout layout : kViews) {
          add(size, params_[turn++ % params_.size()], dtype, layout, {});
        }
        for (const Data data : kHostile) {
          add(size, params_[turn++ % params_.size()], dtype, {}, data);
        }
      }
    }
    return std::move(cases_);
  }

 private:
  /// Sizes at which layouts and data are varied: within one vector, and over several blocks.
  std::vector<SizeVariant> roomy() const {
    std::vector<SizeVariant> roomy{sizes_.front()};
    if (sizes_.back().label.starts_with("all=")) roomy.push_back(sizes_.back());
    return roomy;
  }

  void add(
      const SizeVariant& size, const NamedParams& params, DType dtype, Layout layout, Data data) {
    std::optional<spec::WorkloadCall> call = legal_call(op_, size.sizes, params, dtype);
    if (!call) return;
    std::string label =
        size.label + " " + std::string(dtype_name(dtype)) + params_label(op_, call->params);
    if (layout != Layout::kDense) label += " " + std::string(layout_name(layout));
    if (data != Data::kRandom) label += " " + std::string(data_name(data));
    cases_.push_back({std::move(label), std::move(*call), layout, data, false});
  }

  const spec::OpSpec& op_;
  std::vector<DType> dtypes_;
  std::vector<NamedParams> params_;
  std::vector<SizeVariant> sizes_;
  std::vector<Case> cases_;
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
