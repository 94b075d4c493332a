#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Runs the end-to-end tests on real Kubernetes programs; arguments go to pytest. Needs
# out/bin/aliquot-allocator, python3-pytest and python3-yaml; builds missing Kubernetes programs.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
if [[ ! -x $root/out/bin/aliquot-allocator ]]; then
  echo "run.sh: $root/out/bin/aliquot-allocator is missing: run 'make build' first" >&2
  exit 1
fi
"$here/binaries/build.sh"
mkdir -p "$root/out/test-results"
cd "$root"
# Debian's own Python: the one that python3-pytest belongs to, whatever else is in PATH.
export PYTHONDONTWRITEBYTECODE=1 PYTHONPATH="$here"
exec /usr/bin/python3 -m pytest -q -p no:cacheprovider \
  --rootdir="$here" --junitxml="$root/out/test-results/e2e.xml" "${@:-$here}"
