#include "spec/checks/check.h"
namespace tileops::spec {
void check_manifest(Manifest&, Diagnostics&) {}
}  // namespace tileops::spec
