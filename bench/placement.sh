#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Builds what the placement benchmark runs beside the programs of `make build`, and runs it. Arguments go to
# bench/placement/run.py.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
tools/build.sh release choice_bench
exec /usr/bin/python3 bench/placement/run.py "$@"
