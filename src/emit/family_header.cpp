// The header of one family of operators.
#include <fmt/format.h>

#include <filesystem>

#include "emit/emit.h"

namespace tileops::emit {

std::string family_header(const std::string& family, const std::vector<const spec::OpSpec*>& ops) {
  std::string out;
  if (!ops.empty() && ops.front()->span.file) {
    std::filesystem::path path(ops.front()->span.file->path);
    out += fmt::format("// Printed from manifest/{} by tileops-emit; do not edit.\n",
                       path.filename().string());
  }
  out += fmt::format("// Typed operators of the family `{}`.\n", family);
  out +=
      "#pragma once\n\n"
      "#include <array>\n"
      "#include <utility>\n\n"
      "#include \"tileops/operator.h\"\n\n"
      "namespace tileops {\n\n";
  for (const spec::OpSpec* op : ops) out += operator_class(*op) + "\n";
  return out + "}  // namespace tileops\n";
}

}  // namespace tileops::emit
