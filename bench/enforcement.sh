#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Builds the interception library, the simulated driver and the programs that try them, and runs bench/enforcement. Arguments go to
# bench/enforcement/run.py.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
headers=$(/usr/bin/python3 tests/nvidia/headers.py)
tools/build.sh enforcement "-DALIQUOT_CUDA_HEADERS=$headers" aliquot_interposer enforcement
export ALIQUOT_ENFORCEMENT_BUILD=$PWD/build/enforcement
exec /usr/bin/python3 bench/enforcement/run.py "$@"
