#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""make bench: the scheduler verbs of the real program under load; a table and out/bench/scheduler.json.

    bench/run.py [--runs 5] [--pods 100] [--without-e2e]

Every run starts the allocator anew, so that all runs see the same cluster. The plain way (bench/plain_filter.h)
is timed inside the same run on the same bodies; only ratios within a run judge, absolute aims stand beside them.
What each figure means: docs/reference/bench.md.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

import report
from allocator_process import ROOT, AllocatorProcess, BenchFolder
from idle_connections import idle_cost
from ready_time import ready_with_many_pods

DRIVER = ROOT / "out" / "bench" / "bin" / "scheduler_bench"
SIZES = (500, 1000, 5000, 20000)


def _cluster_file(folder, nodes):
    path = folder.path / f"cluster-{nodes}.yaml"
    if not path.exists():
        subprocess.run([DRIVER, "--write-cluster", path, "--nodes", str(nodes)], check=True)
    return path


def _drive(folder, allocator, nodes, pods, prefix, *flags):
    host, port = allocator.extender()
    command = [DRIVER, "--host", host, "--port", str(port), "--ca", folder.authority.certificate,
               "--cert", folder.client[0], "--key", folder.client[1], "--nodes", str(nodes),
               "--pods", str(pods), "--uid-prefix", prefix, *flags]
    done = subprocess.run([str(each) for each in command], stdout=subprocess.PIPE, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"the load driver failed; the allocator said:\n{allocator.process.log_tail()}")
    return json.loads(done.stdout)


def _verbs(folder, runs, pods):
    """The verbs at 5,000 nodes, `runs` times."""
    results = []
    for run in range(runs):
        allocator = AllocatorProcess(folder, [f"--cluster={_cluster_file(folder, 5000)}"])
        try:
            rss = allocator.rss_mb()
            result = _drive(folder, allocator, 5000, pods, f"serial-{run}")
            result["parallel16"] = _drive(folder, allocator, 5000, pods, f"parallel-{run}",
                                          "--parallel-binds")["pods_per_second"]
            result["rss_mb"] = max(rss, allocator.rss_mb())
            results.append(result)
        finally:
            allocator.stop()
        print(f"  run {run + 1}/{runs}: filter p50 {result['filter']['server_us']['p50']:.0f} us", flush=True)
    return results


def _scaling(folder, pods):
    rows = []
    for nodes in SIZES:
        allocator = AllocatorProcess(folder, [f"--cluster={_cluster_file(folder, nodes)}"])
        try:
            result = _drive(folder, allocator, nodes, pods, f"size-{nodes}", "--no-baseline")
            rows.append({"nodes": nodes, "filter_p50_us": result["filter"]["server_us"]["p50"],
                         "rss_mb": round(allocator.rss_mb(), 1)})
        finally:
            allocator.stop()
        print(f"  {nodes} nodes: filter p50 {rows[-1]['filter_p50_us']:.0f} us", flush=True)
    return rows


def _end_to_end(folder):
    path = folder.path / "e2e.json"
    subprocess.run(["/usr/bin/python3", ROOT / "bench" / "e2e_throughput.py", path], check=True)
    return json.loads(path.read_text())


def main():
    """Runs everything and writes the report."""
    parser = argparse.ArgumentParser(description="Benchmarks of aliquot-allocator")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--pods", type=int, default=300)
    parser.add_argument("--without-e2e", action="store_true")
    parser.add_argument("--output", type=pathlib.Path, default=ROOT / "out" / "bench" / "scheduler.json")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="aliquot-bench-") as path:
        folder = BenchFolder(path)
        print("verbs at 5,000 nodes x 8 cards", flush=True)
        runs = _verbs(folder, options.runs, options.pods)
        print("scaling", flush=True)
        scaling = _scaling(folder, options.pods)
        print("200 idle connections", flush=True)
        idle = idle_cost(folder, _cluster_file(folder, 500))
        print("start with 50,000 pods", flush=True)
        ready = ready_with_many_pods(folder)
        e2e = []
        if not options.without_e2e:
            print("end to end with a real kube-scheduler", flush=True)
            e2e = _end_to_end(folder)
    result = report.build(runs, scaling, idle, ready, e2e)
    options.output.parent.mkdir(parents=True, exist_ok=True)
    options.output.write_text(json.dumps(result, indent=1) + "\n")
    report.print_table(result)
    return 0


if __name__ == "__main__":
    sys.exit(main())
