// The fields of one YAML map, read by name: whatever nobody asked for is an unknown field.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "spec/ast.h"
#include "spec/op_spec.h"
#include "spec/yaml_tree.h"

namespace tileops::spec {

/// Where a piece of an entry stands, for messages.
struct FieldScope {
  std::shared_ptr<const SourceFile> file;
  std::string op;
  std::string path;  ///< "signature.inputs"
  Diagnostics* diagnostics = nullptr;

  FieldScope in(const std::string& name) const;
  SourceSpan span(const YamlNode& node) const;
  void problem(const YamlNode& at,
               std::string problem,
               std::string expected = {},
               std::string actual = {},
               std::string mend = {}) const;
};

// One value each; a problem is reported and gives an empty value.
std::string read_text(const YamlNode& node, const FieldScope& scope);
bool read_bool(const YamlNode& node, const FieldScope& scope);
std::int64_t read_int(const YamlNode& node, const FieldScope& scope);
std::vector<std::string> read_names(const YamlNode& node, const FieldScope& scope);
DType read_dtype(const YamlNode& node, const FieldScope& scope);
std::vector<DType> read_dtypes(const YamlNode& node, const FieldScope& scope);
ExprPtr read_expr(const YamlNode& node, const FieldScope& scope);
std::vector<ExprPtr> read_exprs(const YamlNode& node, const FieldScope& scope);
/// `float16 | bfloat16`, `same_as(x)`, `param(dtype)`.
DTypeRule read_dtype_rule(const YamlNode& node, const FieldScope& scope);

class Fields {
 public:
  /// Reports a node that is not a map, and behaves as an empty map then.
  Fields(const YamlNode& node, FieldScope scope);

  const FieldScope& scope() const { return scope_; }
  const YamlNode* optional(const std::string& name);
  const YamlNode* required(const std::string& name);

  // Read a field with one of the functions above; absent: the value stays.
  template <class T, class Read>
  void read(const std::string& name, T& value, Read reader) {
    if (const YamlNode* node = optional(name)) value = reader(*node, scope_.in(name));
  }
  /// Reports the fields that nobody asked for.
  void finish() const;

 private:
  const YamlNode& node_;
  FieldScope scope_;
  std::vector<std::string> known_;
};

}  // namespace tileops::spec
