#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Builds the load drivers into out/bench/bin, takes the end-to-end part's Kubernetes programs from their cache
# (building what is missing), and runs the benchmarks. Arguments go to bench/run.py.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"
tools/build.sh release scheduler_bench fake_cluster
mkdir -p out/bench/bin
cp build/release/bench/scheduler_bench build/release/bench/fake_cluster out/bench/bin/
exec /usr/bin/python3 bench/run.py "$@"
