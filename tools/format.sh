#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Formats every C++ file as .clang-format says; with --check changes nothing and fails on a difference.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
mode=(-i)
[[ ${1:-} != --check ]] || mode=(--dry-run --Werror)
git ls-files -z --cached --others --exclude-standard -- '*.cc' '*.h' |
  while IFS= read -r -d '' file; do [[ ! -f $file ]] || printf '%s\0' "$file"; done |
  xargs -0 -r -n 20 -P "$(nproc)" clang-format-14 --style=file "${mode[@]}"
