// Helpers and compositions put in by substitution, without capturing names.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "spec/op_spec.h"

namespace tileops::spec {

/// What names stand for: expressions for names, other names for groups of indices.
struct Substitution {
  std::map<std::string, ExprPtr> names;
  std::map<std::string, std::string> groups;
};
ExprPtr substitute(const ExprPtr& expr, const Substitution& with);

/// Names that are free for new indices: `j`, then `j_1`, `j_2`, ...
class FreshNames {
 public:
  void use(const std::string& name) { used_.insert(name); }
  std::string fresh(const std::string& wish);

 private:
  std::set<std::string> used_;
};

/// Puts in the helpers of the definition and all compositions. Functions of one element of the
/// prelude stay calls.
class Expander {
 public:
  Expander(const std::vector<Statement>& definition, const Prelude& prelude);
  /// Throws Error(kValue) for a helper that calls itself or gets a wrong number of arguments.
  ExprPtr expand(const ExprPtr& expr);

 private:
  ExprPtr call(const ExprPtr& expr, const Call& call);
  ExprPtr composition(const ExprPtr& expr, const Reduce& reduce);
  ExprPtr body_of(const Helper& helper);
  ExprPtr rename_binders(const ExprPtr& expr);
  ExprPtr put_in(const ExprPtr& expr, const Helper& helper, const Reduce& reduce);

  std::map<std::string, const Helper*> own_;
  const Prelude& prelude_;
  std::vector<std::string> open_;  ///< helpers being expanded
  FreshNames names_;
};

}  // namespace tileops::spec
