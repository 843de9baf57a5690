// Problems of a manifest: collected, never first-come; each says where, what, and how to mend it.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "spec/source_span.h"

namespace tileops::spec {

struct Diagnostic {
  SourceSpan span;
  std::string op;       ///< empty outside an entry
  std::string field;    ///< "signature.inputs.a.shape"
  std::string problem;  ///< one clause: "undeclared name `Q`"
  std::string expected;
  std::string actual;
  std::string mend;
};

/// gemm.yaml:12:9: GemmFwdOp, signature.inputs.a.shape: undeclared name `Q`
///     a: {dtype: float16, shape: "[Q, K]"}
///                                  ^
///   expected: ...; actual: ...; mend: ...
std::string to_text(const Diagnostic& diagnostic);

class Diagnostics {
 public:
  void add(Diagnostic diagnostic) { items_.push_back(std::move(diagnostic)); }
  bool empty() const { return items_.empty(); }
  const std::vector<Diagnostic>& items() const { return items_; }
  /// All of them, in the order of the files.
  std::string to_text() const;

 private:
  std::vector<Diagnostic> items_;
};

}  // namespace tileops::spec
