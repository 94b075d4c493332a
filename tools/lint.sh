#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# clang-tidy with .clang-tidy's checks over every source of src/, or over the files given.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
# clang's own compile commands: gcc's carry flags that clang-tidy does not know.
cmake --preset clang -DALIQUOT_BUILD_TESTS=OFF >/dev/null
files=("$@")
[[ ${#files[@]} -gt 0 ]] || mapfile -t files < <(git ls-files -- 'src/*.cc')
printf '%s\0' "${files[@]}" | xargs -0 -n 4 -P "$(nproc)" clang-tidy-14 -p build/clang --quiet
