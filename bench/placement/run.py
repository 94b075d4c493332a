# SPDX-License-Identifier: Apache-2.0
"""make bench-placement: how well cards are chosen, beside the best published and known rules.

Prints one table and writes out/bench/placement.json (docs/reference/bench.md).
"""

import argparse
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

# pylint: disable=wrong-import-position
from placement import both, decisions, mapa, openb  # noqa: E402
from placement.programs import ROOT, ProgramFailed  # noqa: E402
from placement.rows import Rows  # noqa: E402
from placement.traces import Traces  # noqa: E402


def _arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", default="42-51", help="of the openb replays; tune on 1000-1009 only")
    parser.add_argument("--traces", help="a directory with other openb traces (plain CSV)")
    parser.add_argument("--policy", default="composite", help="the policy that is judged")
    parser.add_argument("--packing-only", action="store_true", help="only the openb replays")
    return parser.parse_args()


def _packing(traces, arguments, rows):
    policies = (arguments.policy, "fragmentation", *openb.PEERS)
    plain = openb.measure(traces, dict.fromkeys(policies), arguments.seeds)
    openb.check_peers(plain, rows)
    openb.judge(plain, arguments.policy, rows, arguments.policy)
    openb.whole_curve(plain, dict.fromkeys(policies), rows)
    unseen = openb.measure(traces, (arguments.policy, "fgd"), arguments.seeds, "--unseen-cpu-pods")
    openb.pods_without_gpu_unseen(unseen, arguments.policy, plain, rows)
    linked = openb.measure(traces, (arguments.policy,), arguments.seeds, *both.flags())
    both.judge(linked, plain, arguments.policy, rows)
    return {"openb": plain, "openb_cpu_pods_unseen": unseen, "openb_with_links": linked}


def main():
    """Measures, prints, writes; 1 when something that must be reached is not."""
    arguments = _arguments()
    out = ROOT / "out/bench"
    out.mkdir(parents=True, exist_ok=True)
    traces = Traces.from_directory(arguments.traces) if arguments.traces else Traces.unpacked(out / "traces")
    rows = Rows()
    report = _packing(traces, arguments, rows)
    if not arguments.packing_only:
        report["mapa"] = mapa.measure(arguments.policy)
        mapa.judge(report["mapa"], arguments.policy, rows)
        decisions.optimum(rows)
        decisions.choices(rows)
        decisions.measure(traces, arguments.policy, out, rows)
    report["rows"] = rows.rows
    rows.print_table()
    (out / "placement.json").write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    missed = rows.missed()
    print(f"\n{len(missed)} of {sum(row['kept'] is not None for row in rows.rows)} rows miss what they must reach; "
          f"all of it is in out/bench/placement.json")
    return 1 if missed else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except ProgramFailed as failure:
        sys.exit(f"bench-placement: {failure}")
