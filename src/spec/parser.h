// Expressions and definitions from text, wherever the text lies in a file. Knows no YAML.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "spec/ast.h"
#include "spec/diagnostic.h"

namespace tileops::spec {

/// A piece of a file: line `i` of `text` begins at column `columns[i]` of line `line + i`.
struct TextPlace {
  std::shared_ptr<const SourceFile> file;
  std::int32_t line = 1;
  std::vector<std::int32_t> columns = {1};  ///< the last one holds for all further lines
  std::string op, field;                    ///< for messages

  SourceSpan at(std::int32_t text_line, std::int32_t text_column, std::int32_t length) const;
};

ExprPtr parse_expression(std::string_view text, const TextPlace& place, Diagnostics& diagnostics);
std::vector<Statement> parse_definition(std::string_view text,
                                        const TextPlace& place,
                                        Diagnostics& diagnostics);

/// One statement of a definition: its text, and where it begins in the definition.
struct StatementText {
  std::string_view text;
  std::int32_t line = 1, column = 1;
};
/// Statements end at `;` and at a newline, unless brackets are open or the next line is indented
/// more deeply than the line where the statement began.
std::vector<StatementText> split_statements(std::string_view definition);

}  // namespace tileops::spec
