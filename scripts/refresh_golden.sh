#!/usr/bin/env bash
# Writes the expected texts of tests/errors/ and tests/golden/ anew; review them as a diff.
set -euo pipefail
cd "$(dirname "$0")/.."
build=${1:-build/dev}
for test in spec_test emit_test; do
  [[ ! -x $build/bin/$test ]] || TILEOPS_REFRESH=1 "$build/bin/$test" >/dev/null || true
done
git status --short tests/errors tests/golden
