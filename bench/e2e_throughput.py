#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Pods per second through a real kube-scheduler with our extender, beside kube-scheduler alone.

    bench/e2e_throughput.py OUTPUT.json [--nodes 100,1000] [--rounds 5] [--pods 300]

Both kinds place the same pods on the same fake nodes of one control plane, in turns, and the best
round of each counts. A round: the scheduler process is halted, the pods are created, the scheduler
goes on, and the time runs until a watch has shown the last pod with a node. So the time to create
the pods is not in it.

"Alone" is the same kube-scheduler program with the same configuration but for the extender, and with
our webhooks removed; it counts the two resources by itself and chooses no cards. The configuration
is the shipped one, except that both may send 2,000 requests a second to the API server: at
kube-scheduler's default of 50 its own binds would be the bottleneck of the comparison.

OUTPUT.json: [{"nodes": .., "pods_per_second": .., "alone_pods_per_second": ..}].
"""
import argparse
import json
import pathlib
import random
import shutil
import signal
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "tests" / "e2e"))

# pylint: disable=wrong-import-position
from harness import chart, pods
from harness.binaries import OLDEST
from harness.cluster import Cluster
from harness.scheduler import plain_configuration
from harness.waiting import until
from harness.workspace import Workspace

_CLIENT_RATE = {"qps": 2000, "burst": 4000}
_ROUND_LIMIT_S = 120


def _pod(index, dice, scheduler):
    """One pod of the mix: mostly shares, some whole cards, some with two GPU containers."""
    name, kind = f"pod-{index:04}", dice.randrange(10)
    if kind < 7:
        return pods.share(name, core=dice.choice((10, 20, 25, 50)),
                          memory=dice.choice((15, 30, 60)), scheduler=scheduler)
    if kind == 7:
        return pods.pod(name, [pods.container("a", core=20, memory=15),
                               pods.container("b", core=30, memory=30)], scheduler=scheduler)
    return pods.whole(name, dice.choice((1, 2)), scheduler=scheduler)


class Bench:
    """One cluster with both schedulers."""

    def __init__(self, folder, pod_count):
        self._cluster = Cluster(folder, OLDEST)
        self._pod_count = pod_count
        self._schedulers = {}

    def start(self):
        """Starts control plane, allocator and the two schedulers."""
        self._cluster.plane.start()
        self._cluster.start_allocator()
        ours = self._cluster.scheduler_configuration()
        alone = {**ours, **plain_configuration("alone"), "extenders": []}
        for name, configuration in (("ours", ours), ("alone", alone)):
            configuration["clientConnection"] = {
                **(configuration.get("clientConnection") or {}), **_CLIENT_RATE}
            self._schedulers[name] = self._cluster.start_scheduler(
                f"scheduler-{name}", configuration)

    def stop(self):
        """Ends everything."""
        self._cluster.stop()

    def _set_webhooks(self, wanted):
        configuration = self._cluster.webhook_configuration()
        path = chart.path_of(configuration, configuration["metadata"]["name"])
        if wanted and self._cluster.api.exists(path) is None:
            chart.apply(self._cluster.api, [configuration])
            self._cluster.wait_for_admission()
        if not wanted and self._cluster.api.exists(path) is not None:
            self._cluster.api.delete(path)
            until("the API server to forget the webhooks", self._unmutated)

    def _unmutated(self):
        answer = self._cluster.api.post("/api/v1/namespaces/default/pods", pods.share("probe"),
                                        dryRun="All")
        return pods.GPU_LABEL not in (answer["metadata"].get("labels") or {})

    def _round(self, work, kind):
        """Places all pods once; returns pods per second."""
        self._set_webhooks(kind == "ours")
        scheduler = self._schedulers[kind].process
        dice = random.Random(1)
        name = "alone" if kind == "alone" else None
        with work.watch() as watch:
            scheduler.signal(signal.SIGSTOP)
            try:
                work.create_all([_pod(index, dice, name) for index in range(self._pod_count)])
            finally:
                begun = time.monotonic()
                scheduler.signal(signal.SIGCONT)
            bound, seen = {}, 0

            def all_bound():
                # Only the new events: this program shares two cores with what it measures.
                nonlocal seen
                fresh = watch.events[seen:]
                seen += len(fresh)
                for when, _, each in fresh:
                    if pods.node_of(each):
                        bound.setdefault(each["metadata"]["name"], when)
                return len(bound) == self._pod_count
            until(f"{self._pod_count} pods to be bound", all_bound, _ROUND_LIMIT_S, every=0.1)
            took = max(bound.values()) - begun
        if kind == "ours":
            work.ledger().check()
        work.delete_pods()
        return self._pod_count / took

    def measure(self, node_count, rounds):
        """The best of `rounds` interleaved rounds of each kind on `node_count` nodes."""
        work = Workspace(self._cluster, f"bench-{node_count}")
        work.add_nodes(node_count)
        best = {"ours": 0.0, "alone": 0.0}
        for number in range(rounds):
            for kind in best:
                rate = self._round(work, kind)
                print(f"  {node_count} nodes, round {number + 1}, {kind}: {rate:.0f} pods/s",
                      flush=True)
                best[kind] = max(best[kind], rate)
        self._set_webhooks(True)
        work.clean()
        return {"nodes": node_count, "pods_per_second": round(best["ours"], 1),
                "alone_pods_per_second": round(best["alone"], 1)}


def main():
    """Runs the benchmark and writes the JSON file."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("output", type=pathlib.Path)
    parser.add_argument("--nodes", default="100,1000")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--pods", type=int, default=300)
    options = parser.parse_args()
    folder = pathlib.Path(tempfile.mkdtemp(prefix="aliquot-bench-"))
    bench = Bench(folder, options.pods)
    try:
        bench.start()
        results = [bench.measure(int(count), options.rounds) for count in options.nodes.split(",")]
    finally:
        bench.stop()
        shutil.rmtree(folder, ignore_errors=True)
    options.output.parent.mkdir(parents=True, exist_ok=True)
    options.output.write_text(json.dumps(results, indent=1) + "\n")
    for row in results:
        share = 100 * row["pods_per_second"] / row["alone_pods_per_second"]
        print(f"{row['nodes']:>6} nodes: {row['pods_per_second']:.0f} pods/s with Aliquot, "
              f"{row['alone_pods_per_second']:.0f} alone ({share:.0f} %)")


if __name__ == "__main__":
    main()
