#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Builds the agent's load driver into out/bench/bin, and runs the agent's benchmarks. Arguments go to bench/agent/run.py.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
tools/build.sh release agent_bench
mkdir -p out/bench/bin
cp build/release/bench/agent/agent_bench out/bench/bin/
exec /usr/bin/python3 bench/agent/run.py "$@"
