// A definition as a graph of scalar operations: locals put in, equal values one node, every access
// to memory an affine function of axes. What kernels are derived from; knows no device.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "spec/instance.h"

namespace tileops::lower {

inline constexpr int kMaxVars = 64;
using Vars = std::uint64_t;  ///< a set of variables

/// A loop variable: an axis of the output, or an axis that a reduction runs over.
struct Var {
  std::string name;
  std::int64_t size = 0;  ///< it runs over 0 .. size-1
};

enum class Kind : std::uint8_t {
  kConst,
  kVar,
  kLoad,
  kApply,
  kSelect,
  kCall,
  kRound,
  kReduce,
};

struct Value {
  Kind kind = Kind::kConst;
  spec::Type type = spec::Type::kFloat;
  Vars vars = 0;             ///< that it depends on
  double constant = 0;       ///< kConst of floats and bools
  std::int64_t integer = 0;  ///< kConst of ints
  int var = -1;              ///< kVar
  spec::Op op = spec::Op::kAdd;
  std::string function;           ///< kCall: a function of the prelude, such as silu
  int expansion = -1;             ///< kCall: the value of its formula
  DType dtype = DType::kFloat32;  ///< kRound
  bool saturate = false;
  std::vector<int> args;
  int input = -1;                                      ///< kLoad: position among the entry's inputs
  std::int64_t base = 0;                               ///< kLoad: offset in elements
  std::vector<std::int64_t> steps;                     ///< kLoad: elements for each variable
  std::vector<std::pair<int, std::int64_t>> computed;  ///< kLoad: value, elements for each of it
  spec::ReduceOp reduce = spec::ReduceOp::kSum;
  spec::Ties ties = spec::Ties::kUnset;
  spec::NanRule nan = spec::NanRule::kUnset;
  std::vector<int> over;  ///< kReduce: variables
  int body = -1, filter = -1, otherwise = -1;
  std::vector<std::pair<int, int>> bounds;  ///< kReduce: lo, hi of each variable where they vary
};

/// One output: its element at the output's variables, in row-major order.
struct OutputProgram {
  int output = -1;  ///< position among the entry's outputs
  std::vector<int> axes;
  std::vector<std::int64_t> steps;  ///< elements for each axis
  int value = -1;
  DType dtype = DType::kFloat32;
};

struct ScalarProgram {
  std::vector<Var> vars;
  std::vector<Value> values;  ///< arguments before their users
  std::vector<OutputProgram> outputs;
  std::vector<DType> input_dtypes;

  const Value& at(int value) const { return values[static_cast<std::size_t>(value)]; }
};

/// Throws Error(kNotImplemented) for a construct that has no scalar form.
ScalarProgram build_scalar_program(const spec::Instance& instance,
                                   std::span<const TensorView> inputs,
                                   std::span<const TensorView> outputs);

std::string print(const ScalarProgram& program);

}  // namespace tileops::lower
