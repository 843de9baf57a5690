// One operator from a few lines of manifest text.
#pragma once

#include <fstream>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string>

#include "spec/reader.h"

namespace tileops::spec {

struct SmallEntry {
  std::shared_ptr<const OpSpec> op;
  std::shared_ptr<const Prelude> prelude;
};

/// Reads the text's first operator, with the shipped prelude; its problems are thrown.
inline SmallEntry read_entry(const std::string& text) {
  std::ifstream prelude(std::string(TILEOPS_SOURCE_DIR) + "/manifest/prelude");
  const std::string helpers{std::istreambuf_iterator<char>(prelude), {}};
  auto read = read_manifest({{"test.yaml", text}}, {"prelude", helpers});
  const std::string problems = read.diagnostics.to_text();
  if (!problems.empty()) throw std::runtime_error(problems);
  return {std::make_shared<const OpSpec>(read.manifest.operators.at(0)),
          std::make_shared<const Prelude>(read.manifest.prelude)};
}

/// One line of a signature: a float32 tensor.
inline std::string input(const std::string& name, const std::string& shape, const char* more = "") {
  return "      " + name + ": {dtype: float32, shape: \"" + shape + "\"" + more + "}\n";
}

/// An entry around a signature, a definition and one workload; `extra` holds further fields.
inline std::string entry(const std::string& inputs,
                         const std::string& output,
                         const std::string& definition,
                         const std::string& workload,
                         const std::string& extra = "") {
  return "TestFwdOp:\n  summary: A test.\n  family: test\n  since: 0.1.0\n  ref_api: none\n"
         "  signature:\n    inputs:\n" +
         inputs + "    outputs:\n" + output + "  definition: |\n" + definition + extra +
         "  workloads:\n    - {label: one, " + workload + "}\n";
}

}  // namespace tileops::spec
