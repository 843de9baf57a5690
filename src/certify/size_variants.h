// Small sizes that an entry admits: around tile edges, one element, empty, and of every rank.
// Reads the entry alone; which combinations are legal is asked of the entry's own rules.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "spec/instantiate.h"
#include "spec/op_spec.h"

namespace tileops::certify {

/// Axes and groups that the inputs' shapes name and that are not parameters.
struct FreeNames {
  std::vector<std::string> axes, groups;  ///< groups: "" is the leading `...`
};
FreeNames free_names(const spec::OpSpec& op);

struct SizeVariant {
  std::string label;  ///< "M=17"
  spec::Sizes sizes;
  bool roomy = false;  ///< layouts and data are varied here
};

/// Small legal sizes; the first is where other properties are varied. Empty when no small sizes
/// are legal.
std::vector<SizeVariant> size_variants(const spec::OpSpec& op);

/// Parameter sets: every bool both ways, none where legal, a second value for each float. The
/// first holds the defaults.
std::vector<NamedParams> param_variants(const spec::OpSpec& op);

/// The call with its size-bound parameters filled in (`C... == normalized_shape`), or nothing when
/// the entry's rules refuse it.
std::optional<spec::WorkloadCall> legal_call(const spec::OpSpec& op,
                                             const spec::Sizes& sizes,
                                             NamedParams params,
                                             DType dtype);

/// Legal dtypes of the first input whose dtype is free.
std::vector<DType> free_dtypes(const spec::OpSpec& op);

}  // namespace tileops::certify
