// Values of expressions that need no tensor data: shapes, rules, lets, rooflines, defaults.
#pragma once

#include <map>
#include <span>
#include <string>

#include "spec/instance.h"
#include "spec/op_spec.h"
#include "tileops/param.h"
#include "tileops/tensor.h"

namespace tileops::spec {

/// What names stand for in one call. Lets are evaluated when first asked for.
class Scope {
 public:
  Scope(const OpSpec& op, std::span<const ParamValue> params, std::span<const TensorView> inputs);
  /// The same with sizes; splits and lets follow from them.
  Scope(const OpSpec& op, const CallShapes& call, const Sizes& sizes);

  void set(const std::string& name, ParamValue value) { values_[name] = std::move(value); }
  void set_group(const std::string& name, Ints sizes) { groups_[name] = std::move(sizes); }
  /// Derives the kept and chosen groups of the entry's splits whose group is known.
  void apply_splits();

  /// Null where the name is not known (yet).
  const ParamValue* find(const std::string& name) const;
  const Ints* group(const std::string& name) const;
  /// Which axes of a group its split chose; null: it is not split.
  const std::vector<bool>* split_mask(const std::string& group) const;
  /// A group that a split made by setting chosen axes to 1; null: another group.
  struct UnitGroup {
    std::string kept;          ///< the group of the other axes
    std::vector<bool> chosen;  ///< axes that are 1
  };
  const UnitGroup* unit_group(const std::string& group) const;
  bool given(const std::string& name) const;
  const OpSpec& op() const { return op_; }
  std::span<const TensorView> inputs() const { return inputs_; }

 private:
  const OpSpec& op_;
  std::span<const TensorView> inputs_;
  mutable std::map<std::string, ParamValue> values_;
  std::map<std::string, Ints> groups_;
  std::map<std::string, std::vector<bool>> split_masks_;
  std::map<std::string, UnitGroup> unit_groups_;
};

/// Exact int64; throws Error(kValue) for overflow, division by zero, an unknown name or a value of
/// the wrong type.
ParamValue evaluate(const ExprPtr& expr, const Scope& scope);
bool evaluate_bool(const ExprPtr& expr, const Scope& scope);
std::int64_t evaluate_int(const ExprPtr& expr, const Scope& scope);
double evaluate_number(const ExprPtr& expr, const Scope& scope);

/// Names of unknown axes and groups ("C...") in an expression.
std::vector<std::string> unknown_names(const ExprPtr& expr, const Scope& scope);

/// The shape literal that a shape expression chooses: conditions are on parameters and presence.
const ShapeLit& chosen_shape(const ExprPtr& shape, const Scope& scope);
/// All its sizes; throws for unknown ones.
Ints evaluate_shape(const ExprPtr& shape, const Scope& scope);

}  // namespace tileops::spec
