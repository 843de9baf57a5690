// The order of the checks: each may rely on those before it.
#include "spec/checks/check.h"

#include <algorithm>

#include "spec/checks/context.h"

namespace tileops::spec {

void check_manifest(Manifest& manifest, Diagnostics& diagnostics) {
  using Check = void (*)(const CheckContext&);
  constexpr Check kChecks[] = {check_names, check_types,     check_shapes,    check_fields,
                               check_rules, check_workloads, check_definition};
  std::erase_if(manifest.operators, [&](const OpSpec& op) {
    Diagnostics found;
    CheckContext context(op, manifest.prelude, found);
    for (Check check : kChecks) {
      if (found.empty()) check(context);
    }
    for (const Diagnostic& item : found.items()) diagnostics.add(item);
    return !found.empty();
  });
}

}  // namespace tileops::spec
