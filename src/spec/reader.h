// Text to checked IR: the only door through which manifests come in. (YAML and the grammar library
// are behind it.)
#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include "spec/diagnostic.h"
#include "spec/op_spec.h"

namespace tileops::spec {

struct ReadResult {
  Manifest manifest;  ///< only operators without problems
  Diagnostics diagnostics;
};

/// Reads YAML files and a prelude together, checks them, reports all problems.
ReadResult read_manifest(const std::vector<SourceFile>& files, const SourceFile& prelude);

/// All *.yaml of a folder (or one file), and the file `prelude` beside them. `fallback_prelude` is
/// used where there is none. Throws Error(kMachine) for what cannot be read.
ReadResult read_manifest_path(const std::filesystem::path& path, const Prelude* fallback_prelude);

/// Expressions and definitions alone, for tests and tools. Problems go to `diagnostics`; the result
/// is null or empty then.
ExprPtr parse_expression(std::shared_ptr<const SourceFile> file, Diagnostics& diagnostics);
std::vector<Statement> parse_definition(std::shared_ptr<const SourceFile> file,
                                        Diagnostics& diagnostics);

}  // namespace tileops::spec
