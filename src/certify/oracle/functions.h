// Functions of one real: value and derivative.
#pragma once

#include "spec/ast.h"

namespace tileops::certify::oracle {

double function_value(spec::Op op, double x);
double function_derivative(spec::Op op, double x, double value);
/// Where the derivative says little once the error is comparable to |x|: log, sqrt, rsqrt.
bool has_pole(spec::Op op);
bool is_function(spec::Op op);

}  // namespace tileops::certify::oracle
