#!/usr/bin/env bash
# All tests, as CI runs them: build with warnings as errors, ctest, pytest, lint of changed files,
# sanitizers, a fuzz smoke, the README's example. Under 20 minutes on two cores.
set -euo pipefail
cd "$(dirname "$0")/.."

# A clone in another folder finds the same compilations in ccache.
export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1

step() { printf '\n=== [%4ds] %s\n' "$SECONDS" "$*"; }

step "dependencies"
scripts/install_deps.sh --tests

step "build ci: warnings are errors"
cmake --preset ci
cmake --build --preset ci
cmake --build --preset ci --target all_verify_interface_header_sets

step "ctest"
ctest --preset ci

step "pytest: scripts, documents, PyTorch"
TILEOPS_REQUIRE_TORCH=1 TILEOPS_BUILD=build/ci .venv/bin/python -m pytest -q tests

step "lint"
scripts/lint --no-analyzer --tidy-seconds 120

step "fuzz"
scripts/fuzz.sh 20

step "asan: AddressSanitizer and UBSan, all but label workload"
cmake --preset asan
cmake --build --preset asan
ctest --preset asan

step "done"
