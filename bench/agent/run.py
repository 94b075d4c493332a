#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""make bench-agent: what the agent costs on a node; a table and out/bench/agent.json.

    bench/agent/run.py [--runs 5] [--idle-seconds 60] [--pairs 25] [--without-e2e]

agent_bench measures the real program beside a simulated kubelet and API server, anew in each run; every call's
floor, the same call to a plugin that answers at once with nothing, is taken in between. What each figure means:
docs/reference/bench.md.
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
DRIVER = ROOT / "out" / "bench" / "bin" / "agent_bench"
AGENT = ROOT / "out" / "bin" / "aliquot-agent"
PROFILE = ROOT / "profiles" / "h100x8.yaml"
# Absolute aims of the design; shown beside the figures, they judge nothing.
_AIMS = {("allocate", "p99"): 2000, ("pre_start", "p99"): 20000, ("pre_start_at_once", "p99"): 20000}
_TITLES = {"allocate": "Allocate", "pre_start": "PreStartContainer, one after the other",
           "pre_start_at_once": "PreStartContainer, thirty at once"}


def _drive(agent, *arguments):
    # The agent's state directory is in memory, as /run is on a node.
    memory = pathlib.Path("/dev/shm")
    environment = {**os.environ, **({"TMPDIR": str(memory)} if memory.is_dir() else {})}
    command = [DRIVER, "--agent", agent, "--profile", PROFILE, *arguments]
    done = subprocess.run([str(each) for each in command], stdout=subprocess.PIPE, check=False,
                          env=environment)
    if done.returncode != 0:
        raise RuntimeError("agent_bench failed; its words are above")
    return json.loads(done.stdout)


def _pod_times(pairs):
    with tempfile.TemporaryDirectory(prefix="aliquot-bench-") as folder:
        path = pathlib.Path(folder) / "pod_time.json"
        subprocess.run(["/usr/bin/python3", ROOT / "bench" / "agent" / "pod_time.py", path,
                        f"--pairs={pairs}"], check=True)
        return json.loads(path.read_text())


def _best(runs, figure, rank):
    """The smallest over the runs: noise only ever adds."""
    return min(run[figure][rank] for run in runs)


def _rows(idle, runs, times):
    rows = []

    def add(name, value, unit, baseline=None, target=None):
        rows.append({"name": name, "value": value, "unit": unit, "baseline": baseline, "target": target})

    add("idle memory, 8 cards and 40 shares", round(idle["rss_mb"], 1), "MB", None, 25)
    add("of it not of files", round(idle["anonymous_mb"], 1), "MB")
    add("idle processor", round(idle["cpu_percent"], 3), "% of a core", None, 0.2)
    add("idle wake-ups", round(idle["wakeups_per_s"], 1), "1/s")
    add("threads", idle["threads"], "")
    add("API writes while nothing changes", idle["api_writes"], "", None, 0)
    starts = sum(run["starts"] for run in runs)
    add(f"API writes of {starts} starts and removals", sum(run["api_writes"] for run in runs), "", None, 0)
    for figure, title in _TITLES.items():
        for rank in ("p50", "p99"):
            add(f"{title}, {rank}", _best(runs, figure, rank), "us", _best(runs, f"{figure}_floor", rank),
                _AIMS.get((figure, rank)))
    if times:
        add("pod_to_running", round(statistics.median(times["share_ms"]), 1), "ms",
            round(statistics.median(times["plain_ms"]), 1))
        # Neighbours of a pair share the machine's mood, so the difference is taken pair by pair.
        add("pod_to_running, median of the differences", round(statistics.median(
            share - plain for share, plain in zip(times["share_ms"], times["plain_ms"])), 1), "ms")
    return rows


def _print_table(rows):
    print(f"\n{'figure':46} {'value':>10} {'unit':12} {'baseline':>10} {'aim':>8}")
    for row in rows:
        cells = ["" if row[key] is None else f"{row[key]:g}" for key in ("value", "baseline", "target")]
        print(f"{row['name']:46} {cells[0]:>10} {row['unit']:12} {cells[1]:>10} {cells[2]:>8}")
    print("baseline: the same call to a plugin that does nothing; of pod_to_running: a plain pod")


def main():
    """Runs everything and writes the report."""
    parser = argparse.ArgumentParser(description="Benchmarks of aliquot-agent")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--rounds", type=int, default=8)
    parser.add_argument("--idle-seconds", type=int, default=60)
    parser.add_argument("--pairs", type=int, default=25)
    parser.add_argument("--without-e2e", action="store_true")
    parser.add_argument("--agent", type=pathlib.Path, default=AGENT, help="the program, but for pod_to_running")
    parser.add_argument("--output", type=pathlib.Path, default=ROOT / "out" / "bench" / "agent.json")
    options = parser.parse_args()
    runs = []
    for run in range(options.runs):
        runs.append(_drive(options.agent, "starts", "--rounds", options.rounds))
        print(f"  run {run + 1}/{options.runs}: PreStartContainer p50 {runs[-1]['pre_start']['p50']:.0f} us",
              flush=True)
    print(f"idle for {options.idle_seconds} s", flush=True)
    idle = _drive(options.agent, "idle", "--seconds", options.idle_seconds)
    times = None
    if not options.without_e2e:
        print("pods on a real node", flush=True)
        times = _pod_times(options.pairs)
    result = {"idle": idle, "starts": runs, "pod_to_running": times, "rows": _rows(idle, runs, times)}
    options.output.parent.mkdir(parents=True, exist_ok=True)
    options.output.write_text(json.dumps(result, indent=1) + "\n")
    _print_table(result["rows"])
    return 0


if __name__ == "__main__":
    sys.exit(main())
