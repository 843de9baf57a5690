// Types of instances, and what is known at once: literals combine, decided branches go.
#pragma once

#include "spec/ast.h"
#include "tileops/param.h"

namespace tileops::spec {

/// The node with its type, or the simpler expression that it is. Children are folded already.
/// Floating values are real numbers, so float literals combine in float64.
ExprPtr folded(Node node, const SourceSpan& span);
/// A literal of a known value; lists become shapes.
ExprPtr literal(const ParamValue& value, const SourceSpan& span = {});
/// The value of a literal of a number or bool, or monostate.
ParamValue literal_value(const ExprPtr& expr);

}  // namespace tileops::spec
