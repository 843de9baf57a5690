// From a checked operator and one call to sizes, legality and meaning. The engine validates by
// these; the certifier makes its cases with them. Nothing here knows YAML or text.
#pragma once

#include <memory>
#include <vector>

#include "spec/instance.h"

namespace tileops::spec {

/// Parameters in the entry's order, defaults evaluated. Throws Error naming an unknown, missing or
/// mistyped parameter. An int is accepted where a float is declared, an int where ints are.
std::vector<ParamValue> complete_params(const OpSpec& op, const NamedParams& given);

/// Checks dtypes, ranks, shapes and rules of a call and solves for the sizes of all axes.
/// Throws Error with all five parts.
Sizes solve_sizes(const OpSpec& op, const CallShapes& call);

/// Output views (data null, dense) of a call whose sizes are solved.
std::vector<TensorView> infer_outputs(const OpSpec& op, const CallShapes& call, const Sizes& sizes);

/// The inputs' views (data null, dense) of a workload with its first free dtype set.
struct WorkloadCall {
  std::vector<TensorView> inputs;
  std::vector<ParamValue> params;
};
WorkloadCall workload_call(const OpSpec& op, const Workload& workload, DType dtype);
/// The same from sizes alone, for generated cases.
WorkloadCall sized_call(const OpSpec& op,
                        const Sizes& sizes,
                        const NamedParams& params,
                        DType dtype);

/// The definition specialised for the call. Throws Error(kNotImplemented) naming the construct
/// where the language cannot be instantiated yet.
Instance instantiate(std::shared_ptr<const OpSpec> op,
                     std::shared_ptr<const Prelude> prelude,
                     const CallShapes& call,
                     const Sizes& sizes);

/// Body of a prelude function of one element with its arguments put in.
ExprPtr prelude_body(const Prelude& prelude, const Call& call);

}  // namespace tileops::spec
