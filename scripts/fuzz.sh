#!/usr/bin/env bash
# Feeds mutated manifests to the reader: scripts/fuzz.sh [SECONDS]. A crash is left in build/fuzz/.
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=${1:-20}

cmake --preset fuzz
cmake --build --preset fuzz
corpus=$(mktemp -d)
trap 'rm -rf "$corpus"' EXIT
shopt -s nullglob
for file in manifest/*.yaml tests/errors/*.yaml; do
  cp "$file" "$corpus/$(basename "$file").plain"
  { cat "$file"; printf '\n-----\n'; cat manifest/prelude; } >"$corpus/$(basename "$file")"
done
for fuzzer in build/fuzz/bin/*_fuzz; do
  if ! "$fuzzer" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=4096 \
    -artifact_prefix=build/fuzz/ "$corpus" >build/fuzz/log 2>&1; then
    tail -n 60 build/fuzz/log
    exit 1
  fi
  echo "$(basename "$fuzzer"): $(tail -n 1 build/fuzz/log)"
done
