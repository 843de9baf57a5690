// Expressions to canonical text.
#pragma once

#include <string>

#include "spec/ast.h"
#include "spec/print.h"

namespace tileops::spec {

std::string print(const Access& access);
std::string print(const Binder& binder);
/// The shortest text that reads back as the same float: "1e-06", "2.0", "inf".
std::string print_float(double value);

}  // namespace tileops::spec
