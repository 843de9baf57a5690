// Kernels by name: a kernel that a manifest names and nobody wrote is a link error by its name.
#include <fmt/format.h>

#include <set>

#include "emit/code_writer.h"
#include "emit/emit.h"

namespace tileops::emit {

std::string kernel_table(const spec::Manifest& manifest) {
  std::set<std::pair<std::string, std::string>> kernels;
  for (const spec::OpSpec& op : manifest.operators) {
    for (const auto& [backend, names] : op.kernel_map) {
      if (backend != "cpu") continue;  // the backends that this build has
      for (const std::string& name : names) kernels.emplace(backend, name);
    }
  }
  std::string declarations, rows;
  for (const auto& [backend, name] : kernels) {
    declarations += fmt::format("const KernelDescriptor& {}();\n", name);
    rows += fmt::format("      {{{}, {}, kernels::{}}},\n", cpp_string(backend), cpp_string(name),
                        name);
  }
  return "// Printed from manifest/ by tileops-emit; do not edit.\n"
         "#include \"backend/cpu/cpu_backend.h\"\n"
         "#include \"runtime/environment.h\"\n"
         "#include \"runtime/shipped.h\"\n\n"
         "namespace tileops {\n\n"
         "namespace kernels {\n" +
         declarations +
         "}  // namespace kernels\n\n"
         "namespace runtime {\n\n"
         "std::span<const ShippedKernel> shipped_kernels() {\n"
         "  static const ShippedKernel table[] = {\n" +
         rows +
         "  };\n"
         "  return table;\n"
         "}\n\n"
         "Backend& shipped_backend() {\n"
         "  static Backend& backend = [&]() -> Backend& {\n"
         "    cpu::force_target(variable(\"TILEOPS_CPU_TARGET\"));\n"
         "    return cpu::backend();\n"
         "  }();\n"
         "  return backend;\n"
         "}\n\n"
         "}  // namespace runtime\n"
         "}  // namespace tileops\n";
}

}  // namespace tileops::emit
