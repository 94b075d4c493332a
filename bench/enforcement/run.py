#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""make bench-enforcement: what the interception library costs and how well it holds shares, on the
simulated driver. One module a measure; each answers its rows. Needs root, as containers are mount
namespaces here. Arguments: names of measures (all)."""
import importlib
import json
import os
import pathlib
import sys

_HERE = pathlib.Path(__file__).resolve().parent
_REPOSITORY = _HERE.parents[1]
sys.path[:0] = [str(_HERE), str(_REPOSITORY / "tests" / "enforcement")]

# In this order; what is measured in time comes while nothing else runs.
_MEASURES = ["launch_cost", "memory_cost", "start_cost", "core_share"]


def main(names):
    unknown = [name for name in names if name not in _MEASURES]
    if unknown:
        sys.exit(f"bench-enforcement: there is no measure {unknown[0]}; there are {', '.join(_MEASURES)}")
    rows = []
    for name in names or _MEASURES:
        rows += importlib.import_module(name).measure()
    result = {"rows": rows}
    out = pathlib.Path(os.environ.get("BENCH_OUT", _REPOSITORY / "out" / "bench" / "enforcement.json"))
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    print(f"\n{'figure':66} {'value':>9} {'unit':7} {'baseline':>9} {'aim':>6}")
    for row in rows:
        cells = ["" if row[key] is None else f"{row[key]:g}" for key in ("value", "baseline", "target")]
        print(f"{row['name']:66} {cells[0] or 'never':>9} {row['unit']:7} {cells[1]:>9} {cells[2]:>6}")
    missed = [row["name"] for row in rows
              if row["target"] is not None and (row["value"] is None or row["value"] > row["target"])]
    if missed:
        sys.exit(f"bench-enforcement: over its aim: {'; '.join(missed)}")


if __name__ == "__main__":
    main(sys.argv[1:])
