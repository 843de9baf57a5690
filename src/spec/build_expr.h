// Parse tree to expressions: literals become numbers, signs and names become operators.
#pragma once

#include "spec/parser.h"
#include "spec/syntax_tree.h"

namespace tileops::spec {

/// Makes ast.h nodes of the parse tree of one text. Problems go to the diagnostics.
class ExprBuilder {
 public:
  ExprBuilder(std::string_view text, const TextPlace& place, Diagnostics& diagnostics)
      : text_(text), place_(place), diagnostics_(diagnostics) {}

  ExprPtr expr(const SyntaxNode& node);
  Access access(const SyntaxNode& node);
  std::vector<Subscript> subscripts(const SyntaxNode& node);
  Binder binder(const SyntaxNode& node);
  SourceSpan span(const SyntaxNode& node) const;
  SourceSpan span_at(std::size_t offset, std::size_t length) const;
  void problem(const SyntaxNode& node,
               std::string problem,
               std::string expected = {},
               std::string mend = {});

 private:
  ExprPtr number(const SyntaxNode& node);
  ExprPtr name(const SyntaxNode& node);
  ExprPtr chain(const SyntaxNode& node);
  ExprPtr left_to_right(const SyntaxNode& node);
  ExprPtr joined(const SyntaxNode& node, Op op);
  ExprPtr call(const SyntaxNode& node);
  ExprPtr round_to(const SyntaxNode& node);
  ExprPtr reduce(const SyntaxNode& node);
  ExprPtr apply(const SyntaxNode& node, Op op, std::vector<ExprPtr> args);

  std::string_view text_;
  const TextPlace& place_;
  Diagnostics& diagnostics_;
};

}  // namespace tileops::spec
