#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Configures a CMake preset if it has not been yet, and builds targets of it.
#
#   build.sh PRESET [-DNAME=VALUE ...] [TARGET ...]      no target: everything
#
# ccache is used where it is installed; its cache is in its own place outside the tree and holds
# objects of all presets, so that a fresh checkout builds from it.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"
[[ $# -gt 0 ]] || { echo "build.sh: which preset? See: cmake --list-presets" >&2; exit 1; }
preset=$1
shift

settings=()
targets=()
for argument in "$@"; do
  case $argument in
    -D*) settings+=("$argument") ;;
    *) targets+=("$argument") ;;
  esac
done

if command -v ccache >/dev/null; then
  settings+=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
  # Independent of where the tree and the build folder are, so that checkouts share the cache.
  export CCACHE_BASEDIR=$root CCACHE_NOHASHDIR=1
fi
jobs=${ALIQUOT_BUILD_JOBS:-$(nproc)}

log=build/$preset.configure.log
mkdir -p build
if ! cmake --preset "$preset" "${settings[@]}" >"$log" 2>&1; then
  cat "$log" >&2
  echo "build.sh: CMake could not configure the preset $preset; its words are above" >&2
  exit 1
fi
[[ ${#targets[@]} -gt 0 ]] || targets=(all)
cmake --build "build/$preset" --parallel "$jobs" --target "${targets[@]}"
