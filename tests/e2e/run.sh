#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Runs the end-to-end tests on real Kubernetes programs; arguments go to pytest. Needs
# out/bin/{aliquot-allocator,aliquot-agent}, python3-pytest and python3-yaml; builds missing Kubernetes
# programs. Without arguments the tests on real nodes run beside the others, on a control plane of their
# own: they mostly wait for a kubelet.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
for program in aliquot-allocator aliquot-agent; do
  if [[ ! -x $root/out/bin/$program ]]; then
    echo "run.sh: $root/out/bin/$program is missing: run 'make build' first" >&2
    exit 1
  fi
done
"$here/binaries/build.sh"
mkdir -p "$root/out/test-results"
cd "$root"
# Debian's own Python: the one that python3-pytest belongs to, whatever else is in PATH.
export PYTHONDONTWRITEBYTECODE=1 PYTHONPATH="$here"
run() {
  local report=$root/out/test-results/$1.xml
  shift
  /usr/bin/python3 -m pytest -q -p no:cacheprovider --rootdir="$here" --junitxml="$report" "$@"
}

if [[ $# -gt 0 ]]; then
  run e2e "$@"
  exit
fi
nodes_log=$root/out/test-results/e2e-nodes.log
run e2e-nodes "$here"/test_node_*.py >"$nodes_log" 2>&1 &
nodes=$!
status=0
run e2e "$here" --ignore-glob='*/test_node_*.py' || status=$?
wait "$nodes" || status=$?
cat "$nodes_log"
exit "$status"
