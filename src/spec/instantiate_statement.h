// One statement of a definition with the sizes and parameters of a call put in.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "spec/expand.h"
#include "spec/instance_tensors.h"

namespace tileops::spec {

class StatementInstantiator {
 public:
  StatementInstantiator(const Scope& scope, InstanceTensors& tensors)
      : scope_(scope), tensors_(tensors) {}

  /// `define` has its helpers expanded, and the tensors that it reads are known. Adds its target to
  /// the tensors where it is a local.
  Define run(const Define& define);

 private:
  using Names = std::vector<std::string>;

  void bind_target(const Define& define, Define& out, std::vector<Place>& places, Ints& shape);
  const Binder& binder_at(const Define& define, std::size_t at) const;
  std::vector<Binder> bind_place(const Define& define,
                                 std::size_t& at,
                                 const Place& place,
                                 const TensorInstance& tensor);
  const Split* split_of(const std::string& group) const;
  ExprPtr lower(const ExprPtr& expr);
  ExprPtr name(const ExprPtr& expr, const Name& name);
  ExprPtr access(const ExprPtr& expr, const Access& access);
  ExprPtr reduce(const ExprPtr& expr, const Reduce& reduce);
  void add_place(const Place& place,
                 const Subscript& subscript,
                 const TensorInstance& tensor,
                 Access& out,
                 const ExprPtr& whole);
  void canonical_names(Reduce& reduce) const;
  bool add_split(const Place& place, const Access& access, std::size_t& at, Access& out);
  /// Binds names of one binder; returns plain binders with ranges.
  std::vector<Binder> bind(const Binder& binder,
                           const std::vector<ExprPtr>& uses,
                           const Ints* known_sizes);
  /// Sizes of the axes that an index or group runs over.
  Ints range_of(const Binder& binder, const std::vector<ExprPtr>& uses) const;

  const Scope& scope_;
  InstanceTensors& tensors_;
  FreshNames fresh_;
  std::map<std::string, std::string> indices_;
  std::map<std::string, Names> groups_;
  std::map<std::string, Ints> group_sizes_;
  std::set<std::string> targets_;       ///< indices of the statement itself
  std::map<std::string, Ints> ranges_;  ///< of every index or group bound so far
};

}  // namespace tileops::spec
