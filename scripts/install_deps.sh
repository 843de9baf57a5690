#!/usr/bin/env bash
# Installs what a build needs from Debian 12 or 13's own packages; does nothing where all is there.
#   scripts/install_deps.sh            compiler, CMake, libraries
#   scripts/install_deps.sh --tests    also the test libraries, clang for fuzzing, and .venv/
set -euo pipefail
cd "$(dirname "$0")/.."

# command:package, for tools that may also come from elsewhere; plain names are library packages.
wanted=(g++:g++ cmake:cmake ninja:ninja-build pkg-config:pkg-config ccache:ccache git:git
        libyaml-cpp-dev tao-pegtl-dev libcli11-dev libfmt-dev nlohmann-json3-dev libdlpack-dev
        libdnnl-dev libhwy-dev)
tests=false
case "${1:-}" in
  "") ;;
  --tests) tests=true ;;
  *) sed -n '2,4s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
esac

can_fuzz() {
  printf 'extern "C" int LLVMFuzzerTestOneInput(const char*, long) { return 0; }' |
    clang++ -fsanitize=fuzzer,address -x c++ - -o /dev/null 2>/dev/null
}

if $tests; then
  wanted+=(clang++:clang libomp-dev libgtest-dev libgmock-dev libbenchmark-dev)
  can_fuzz || wanted+=(libclang-rt-dev)
  python3 -c 'import ensurepip, venv' 2>/dev/null || wanted+=(python3-venv)
fi

missing=()
for item in "${wanted[@]}"; do
  if [[ $item == *:* ]]; then
    command -v "${item%%:*}" >/dev/null || missing+=("${item#*:}")
  else
    dpkg-query -W -f '${Status}' "$item" 2>/dev/null | grep -q '^install ok installed' ||
      missing+=("$item")
  fi
done

if ((${#missing[@]})); then
  sudo=()
  if ((EUID != 0)); then
    command -v sudo >/dev/null || { echo "install as root: ${missing[*]}" >&2; exit 1; }
    sudo=(sudo)
  fi
  echo "Installing: ${missing[*]}"
  "${sudo[@]}" apt-get update -qq
  "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
fi

if $tests; then
  [[ -x .venv/bin/python ]] || python3 -m venv .venv
  stamp=.venv/installed-$(cat requirements/{lint,test}.txt | sha256sum | cut -c1-16)
  if [[ ! -e $stamp ]]; then
    echo "Installing into .venv: $(cat requirements/{lint,test}.txt | tr '\n' ' ')"
    .venv/bin/python -m pip install -q -r requirements/lint.txt -r requirements/test.txt
    rm -f .venv/installed-*
    touch "$stamp"
  fi
fi
