// The checked manifest as bytes in the library: no YAML is read at run time.
#include <fmt/format.h>

#include "emit/code_writer.h"
#include "emit/emit.h"
#include "spec/archive.h"

namespace tileops::emit {
namespace {

std::string literal(std::string_view name, const std::vector<std::byte>& bytes) {
  std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  return fmt::format("constexpr std::string_view {}{{{},\n    {}}};\n", name, cpp_bytes(text),
                     bytes.size());
}

}  // namespace

std::string embedded_manifest(const spec::Manifest& manifest) {
  std::string out =
      "// Printed from manifest/ by tileops-emit; do not edit.\n"
      "#include \"runtime/shipped.h\"\n\n"
      "namespace tileops::runtime {\n"
      "namespace {\n\n";
  out += literal("kPrelude", spec::to_bytes(manifest.prelude));
  std::string rows;
  for (const spec::OpSpec& op : manifest.operators) {
    out += literal("k" + op.name, spec::to_bytes(op));
    rows += fmt::format("    {{{}, k{}}},\n", cpp_string(op.name), op.name);
  }
  out += "\nconstexpr ShippedOperator kOperators[] = {\n" + rows + "};\n\n}  // namespace\n\n";
  out +=
      "const Shipped& shipped() {\n"
      "  static const Shipped table{kOperators, kPrelude, shipped_kernels(), shipped_backend};\n"
      "  return table;\n"
      "}\n\n"
      "}  // namespace tileops::runtime\n";
  return out;
}

}  // namespace tileops::emit
