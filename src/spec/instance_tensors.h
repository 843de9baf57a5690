// How the axes of a call's tensors answer to the subscripts of a definition.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "spec/evaluate.h"
#include "spec/instance.h"

namespace tileops::spec {

/// One place between the brackets: one axis, or the axes of a group (`...`: right-aligned).
struct Place {
  Subscript::Kind kind = Subscript::Kind::kExpr;
  std::string group;
  std::size_t first = 0, count = 1;  ///< axes
};

struct TensorPlaces {
  std::vector<Place> places;
  std::size_t position = 0;  ///< in Instance::tensors
};

/// Tensors that statements may name, by name: inputs that are present, outputs, then locals.
class InstanceTensors {
 public:
  InstanceTensors(const Scope& scope, const CallShapes& call, std::vector<TensorView> outputs);

  const TensorPlaces* find(const std::string& name) const;
  const TensorInstance& tensor(const TensorPlaces& places) const {
    return tensors_[places.position];
  }
  void add_local(const std::string& name, Type type, Ints shape, std::vector<Place> places);
  std::vector<TensorInstance> take() { return std::move(tensors_); }

 private:
  void add(TensorInstance tensor, const ShapeLit& shape, const Scope& scope);

  std::vector<TensorInstance> tensors_;
  std::map<std::string, TensorPlaces> places_;
};

Type type_of(DType dtype);

}  // namespace tileops::spec
