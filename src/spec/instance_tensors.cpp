// Tensors of an instance from the entry's shapes and the call's views.
#include "spec/instance_tensors.h"

namespace tileops::spec {

Type type_of(DType dtype) {
  if (dtype == DType::kBool) return Type::kBool;
  if (is_integer(dtype)) return Type::kInt;
  return is_complex(dtype) ? Type::kComplex : Type::kFloat;
}

InstanceTensors::InstanceTensors(const Scope& scope,
                                 const CallShapes& call,
                                 std::vector<TensorView> outputs) {
  const OpSpec& op = scope.op();
  auto instance = [&](const std::string& name, TensorInstance::Kind kind, std::size_t i,
                      const TensorView& view) {
    TensorInstance out{name, kind, static_cast<int>(i), view.dtype, type_of(view.dtype), {}};
    out.shape.assign(view.shape().begin(), view.shape().end());
    return out;
  };
  for (std::size_t i = 0; i < op.inputs.size(); ++i) {
    if (!call.inputs[i].given()) continue;
    const ShapeLit& shape = chosen_shape(op.inputs[i].shape, scope);
    add(instance(op.inputs[i].name, TensorInstance::Kind::kInput, i, call.inputs[i]), shape, scope);
  }
  for (std::size_t i = 0; i < op.outputs.size(); ++i) {
    const ShapeLit& shape = chosen_shape(op.outputs[i].shape, scope);
    add(instance(op.outputs[i].name, TensorInstance::Kind::kOutput, i, outputs[i]), shape, scope);
  }
}

void InstanceTensors::add(TensorInstance tensor, const ShapeLit& shape, const Scope& scope) {
  TensorPlaces out;
  out.position = tensors_.size();
  std::size_t known = 0;
  for (const Subscript& dim : shape.dims) {
    if (dim.kind == Subscript::Kind::kExpr) ++known;
    if (dim.kind == Subscript::Kind::kGroup) known += scope.group(dim.group)->size();
  }
  std::size_t at = 0;
  for (const Subscript& dim : shape.dims) {
    Place place{dim.kind, dim.group, at, 1};
    if (dim.kind == Subscript::Kind::kGroup) place.count = scope.group(dim.group)->size();
    if (dim.kind == Subscript::Kind::kEllipsis) place.count = tensor.shape.size() - known;
    at += place.count;
    out.places.push_back(place);
  }
  places_[tensor.name] = std::move(out);
  tensors_.push_back(std::move(tensor));
}

const TensorPlaces* InstanceTensors::find(const std::string& name) const {
  auto at = places_.find(name);
  return at == places_.end() ? nullptr : &at->second;
}

void InstanceTensors::add_local(const std::string& name,
                                Type type,
                                Ints shape,
                                std::vector<Place> places) {
  TensorInstance tensor;
  tensor.name = name;
  tensor.kind = TensorInstance::Kind::kLocal;
  tensor.type = type;
  tensor.shape = std::move(shape);
  places_[name] = {std::move(places), tensors_.size()};
  tensors_.push_back(std::move(tensor));
}

}  // namespace tileops::spec
