// What the checks of one operator share: its symbols, and where problems go.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "spec/diagnostic.h"
#include "spec/op_spec.h"

namespace tileops::spec {

enum class SymbolKind { kInput, kOutput, kLocal, kParam, kLet, kAxis, kHelper };

struct Symbol {
  SymbolKind kind = SymbolKind::kAxis;
  Type type = Type::kUnknown;  ///< of an element; kUnknown: several are possible
  int places = -1;             ///< between the brackets of an access; -1: depends on the call
  SourceSpan span;
};

class CheckContext {
 public:
  CheckContext(const OpSpec& entry, const Prelude& functions, Diagnostics& found);

  const OpSpec& op;
  const Prelude& prelude;
  std::map<std::string, Symbol> symbols;
  std::set<std::string> groups;  ///< "" is `...`
  std::map<std::string, const Helper*> helpers;

  const Symbol* find(const std::string& name) const;
  /// Of the entry itself or of the prelude.
  const Helper* helper(const std::string& name) const;
  std::vector<std::string> names() const;
  bool is_optional(const std::string& name) const;
  std::size_t problems() const { return diagnostics_.items().size(); }

  void problem(const SourceSpan& span,
               std::string field,
               std::string problem,
               std::string expected = {},
               std::string actual = {},
               std::string mend = {}) const;

 private:
  void declare(const std::string& name, Symbol symbol, const std::string& field);
  void declare_axes(const ExprPtr& shape);

  Diagnostics& diagnostics_;
};

// One concern a file. Each reports what it finds; later ones run only where earlier ones are
// content.
void check_names(const CheckContext& context);
void check_types(const CheckContext& context);
void check_shapes(const CheckContext& context);
void check_fields(const CheckContext& context);
void check_rules(const CheckContext& context);
void check_workloads(const CheckContext& context);
void check_definition(const CheckContext& context);

}  // namespace tileops::spec
