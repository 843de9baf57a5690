// A definition specialised for one call: groups expanded, parameters and shapes put in, modes
// chosen. The oracle and the lowering both start here, each on its own.
//
// What is left of the language in an instance (is_instance.h):
//   - literals of numbers and bools; Name is an index of the statement or of a reduction around it;
//   - Access to a TensorInstance with one plain subscript an axis;
//   - Apply, Select, RoundTo (dtype a literal), Reduce with plain binders and integer-literal or
//     index-dependent ranges; kNamed compositions are expanded;
//   - Call only to functions of one element of the prelude (silu, sigmoid), which consumers may
//     know as primitives, or expand with `prelude_body`.
// No index hides another. A reduction's indices are named after its height (k_1 around no other
// reduction, j_2 around one), so equal reductions of a statement are equal trees. Broadcasting is
// explicit: an axis of size 1 read by a larger index is the literal 0.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "spec/op_spec.h"
#include "tileops/tensor.h"

namespace tileops::spec {

/// Sizes that a call's shapes determine.
struct Sizes {
  std::map<std::string, std::int64_t> axes;
  std::map<std::string, Ints> groups;  ///< "" is the leading `...`
};

struct TensorInstance {
  enum class Kind : std::uint8_t { kInput, kOutput, kLocal };
  std::string name;  ///< a primed tensor has its own entry, "state'"
  Kind kind = Kind::kInput;
  int position = -1;  ///< among the entry's inputs or outputs; for a primed one, of its input
  DType dtype = DType::kFloat32;  ///< locals: unused
  Type type = Type::kFloat;
  std::vector<std::int64_t> shape;
};

struct Instance {
  std::shared_ptr<const OpSpec> op;
  std::shared_ptr<const Prelude> prelude;
  std::vector<ParamValue> params;  ///< in the entry's order, defaults filled in
  Sizes sizes;
  std::vector<TensorInstance> tensors;  ///< present inputs, outputs, then locals
  std::vector<Statement> statements;    ///< Define (and Scatter) in order of dependence

  const TensorInstance* find(std::string_view tensor) const;
};

/// What a call is made of, as far as its meaning goes. Absent inputs have rank -1.
struct CallShapes {
  std::span<const TensorView> inputs;
  std::span<const ParamValue> params;  ///< complete, in the entry's order
};

}  // namespace tileops::spec
