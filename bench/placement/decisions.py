# SPDX-License-Identifier: Apache-2.0
"""What one pod's whole decision costs in process, and one choice of cards."""

import subprocess

from placement.programs import ROOT, aliquotctl, run_json
from placement.traces import enlarged_nodes

_LARGE = 5000


def _best(nodes, pods, policy, runs):
    """The best of several runs of one seed: noise only adds. One at a time, as they are timed."""
    best = {"p50": float("inf"), "p99": float("inf")}
    for _ in range(runs):
        answer = aliquotctl("simulate", "--nodes", nodes, "--pods", pods, "--policy", policy, "--seed", "42",
                            "--threads", "1", "--output", "json")
        best = {key: min(best[key], answer["decision_us"][key]) for key in best}
    return best


def measure(traces, policy, into, rows, runs=5):
    """Filter, prioritize and bind of one pod on the openb cluster and on 5,000 nodes, a plain policy beside."""
    pods = traces.pods["default"]
    large = enlarged_nodes(traces.nodes, _LARGE, into / "nodes-5000.csv")
    for nodes, label, musts in ((traces.nodes, "1,213 nodes", {"p50": 100}), (large, "5,000 nodes", {"p99": 500})):
        plain = _best(nodes, pods, "binpack", runs)
        ours = _best(nodes, pods, policy, runs)
        for rank in ("p50", "p99"):
            rows.add(f"one pod's decision, {label}, {rank}", ours[rank], "us", baseline=plain[rank],
                     must=musts.get(rank), at_most=True)


def choices(rows):
    """One choice of cards of every kind, in nanoseconds."""
    for row in run_json(ROOT / "build/release/bench/choice_bench")["rows"]:
        rows.add("choice: " + row["name"], row["value"], row["unit"], must=row["target"], at_most=True)


def optimum(rows):
    """The chosen set against brute force from the raw matrices, every free set (tests/placement)."""
    done = subprocess.run(["/usr/bin/python3", ROOT / "tests/placement/check.py", "--all"], cwd=ROOT, check=False)
    rows.add("chosen sets that are the exhaustive optimum", 100 if done.returncode == 0 else 0, "%", must=100)
