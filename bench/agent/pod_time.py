#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""From a pod's creation to its container running, with a share of a card and without, on a real node.

    bench/agent/pod_time.py OUTPUT.json [--pairs 25]

The end-to-end suite's cluster and node: real API server, kube-scheduler, allocator, kubelet, containerd and
agent, a simulated machine of four cards. A pod with a share and a plain one are created in turns, each when the
one before runs; all run the same image. The clock stops when a watch shows the phase Running, which the kubelet
reports for both in the same way. The plain pod passes neither webhook nor extender nor agent, so the difference
is all of Aliquot.

OUTPUT.json: {"share_ms": [..], "plain_ms": [..]}, pair by pair.
"""
import argparse
import datetime
import json
import pathlib
import shutil
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent.parent / "tests" / "e2e"))

# pylint: disable=wrong-import-position
from harness import cgroups, pods, runtime
from harness.binaries import OLDEST
from harness.cluster import Cluster
from harness.node_workspace import NodeWorkspace
from harness.real_nodes import RealNodes
from harness.waiting import until

_LIMIT_S = 60


def _first_output(node, pod):
    """When the container wrote its first line, in seconds since 1970, by the runtime's log."""
    name = "_".join((pod["metadata"]["namespace"], pod["metadata"]["name"], pod["metadata"]["uid"]))
    log = node.box.folder / "var-log" / "pods" / name / "main" / "0.log"

    def written():
        return log.exists() and log.read_text().partition(" ")[0]
    stamp = until(f"the first output of {name}", written, _LIMIT_S, every=0.01)
    whole, _, fraction = stamp.rstrip("Z").partition(".")
    seconds = datetime.datetime.fromisoformat(whole).replace(tzinfo=datetime.timezone.utc).timestamp()
    return seconds + float(f"0.{fraction or 0}")


def _time_to_running(work, built):
    """Milliseconds from the request that creates the pod until its container runs and writes."""
    begun = time.time()
    pod = work.create(built)
    return 1000 * (_first_output(work.node, pod) - begun)


def _measure(node, cluster, pairs):
    work = NodeWorkspace(cluster, "bench-pod-time", node)
    kinds = {"share_ms": lambda name: pods.share(name, core=5, memory=2),
             "plain_ms": lambda name: pods.pod(name, [pods.container()])}
    figures = {kind: [] for kind in kinds}
    # The first pair warms up image, sandbox and connections.
    for pair in range(pairs + 1):
        order = list(kinds) if pair % 2 else list(reversed(list(kinds)))
        for kind in order:
            name = f"{kind.split('_', maxsplit=1)[0]}-{pair}"
            took = _time_to_running(work, kinds[kind](name))
            work.wait_running(name)  # the kubelet is done with it
            if pair > 0:
                figures[kind].append(round(took, 1))
    work.clean()
    return figures


def main():
    """Runs the benchmark and writes the JSON file."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("output", type=pathlib.Path)
    parser.add_argument("--pairs", type=int, default=25)
    options = parser.parse_args()
    folder = pathlib.Path(tempfile.mkdtemp(prefix="aliquot-bench-"))
    cgroups.sweep()
    cluster = Cluster(folder, OLDEST)
    nodes = RealNodes(cluster)
    try:
        cluster.start()
        node = nodes.get("bench", runtime.NEW, "t4x4", mode="devdir")
        until("the cards to be allocatable", lambda: node.allocatable(pods.CORE) == 400, 30)
        figures = _measure(node, cluster, options.pairs)
    finally:
        nodes.stop()
        cluster.stop()
        shutil.rmtree(folder, ignore_errors=True)
    options.output.write_text(json.dumps(figures) + "\n")


if __name__ == "__main__":
    main()
