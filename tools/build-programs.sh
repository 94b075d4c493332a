#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Builds the release programs and puts them into out/bin, shared libraries into out/lib.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"
tools/build.sh release aliquot-allocator aliquot-agent aliquotctl aliquot_interposer
mkdir -p out/bin out/lib
cmake --install build/release --prefix "$root/out" --component programs --strip >build/release.install.log
