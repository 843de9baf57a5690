// IR to canonical text: print(parse(x)) is canonical, and parse(print(x)) is x.
#pragma once

#include <string>

#include "spec/instance.h"
#include "spec/op_spec.h"

namespace tileops::spec {

std::string print(const ExprPtr& expr);
std::string print(const Statement& statement);
std::string print(const std::vector<Statement>& definition);
/// The whole entry as YAML.
std::string print(const OpSpec& op);
/// Tensors with shapes, then statements: `tileops show OP --after=instantiate`.
std::string print(const Instance& instance);

}  // namespace tileops::spec
