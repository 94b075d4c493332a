#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Runs the end-to-end tests on real Kubernetes programs; arguments go to pytest. Needs
# out/bin, out/lib, the simulated driver of the preset `enforcement` (or of the build folder that
# ALIQUOT_ENFORCEMENT_BUILD names), python3-pytest and python3-yaml; builds missing Kubernetes programs
# and the programs of a next release (next_release/). Without arguments the tests on real nodes run beside
# the others, on a control plane of their own: they mostly
# wait for a kubelet.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
for file in bin/aliquot-allocator bin/aliquot-agent bin/aliquotctl lib/libaliquot.so; do
  if [[ ! -e $root/out/$file ]]; then
    echo "run.sh: $root/out/$file is missing: run 'make build' first" >&2
    exit 1
  fi
done
driver=${ALIQUOT_ENFORCEMENT_BUILD:-$root/build/enforcement}/tests/simgpu/lib/libcuda.so.1
if [[ ! -e $driver ]]; then
  echo "run.sh: $driver is missing, so no container has a card to use: build it with" >&2
  echo "  tools/build.sh enforcement -DALIQUOT_CUDA_HEADERS=\$(/usr/bin/python3 tests/nvidia/headers.py)" >&2
  # Tests that were chosen may do without it; those that need it say so, too.
  [[ $# -gt 0 ]] || exit 1
fi
"$here/binaries/build.sh"
# The last release build's objects, and one source file more; and a stand-in for gpu-manager.
"$root/tools/build.sh" release aliquot-allocator-next aliquot-agent-next gpu_manager_stand_in
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
# Two lanes: real nodes mostly wait for a kubelet. Not three: kubelets watch more files than the kernel
# lets one user watch (fs.inotify.max_user_instances) when many run at one time.
nodes_log=$root/out/test-results/e2e-nodes.log
run e2e-nodes "$here"/test_node_*.py >"$nodes_log" 2>&1 &
nodes=$!
status=0
run e2e "$here" --ignore="$here/install" --ignore-glob='*/test_node_*.py' || status=$?
wait "$nodes" || status=$?
cat "$nodes_log"
run e2e-install "$here/install" || status=$?
exit "$status"
