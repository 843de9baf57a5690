#!/usr/bin/env bash
# From a fresh clone to a table: installs what is missing, builds build/release/, then runs,
# certifies and times every operator on real inputs at its catalogue shapes.
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/install_deps.sh
cmake --preset release
cmake --build --preset release
build/release/bin/tileops report "$@"
