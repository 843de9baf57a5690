// The promise `batch_invariant`: a row's bits depend neither on the other rows nor on their number.
#pragma once

#include <string>
#include <vector>

#include "certify/judge_call.h"
#include "tileops/operator.h"

namespace tileops::certify {

/// Dynamic axes of an operator that promises it; "" is the leading group. Empty without promise.
std::vector<std::string> invariant_axes(const spec::OpSpec& op);

/// Computes all rows of `axis` together, and each alone; the bits must agree.
CaseVerdict judge_rows_alone(const Operator& op,
                             const std::string& axis,
                             DType dtype,
                             const std::string& kernel,
                             const JudgeOptions& options);

}  // namespace tileops::certify
