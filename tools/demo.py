#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Six pods through admission, filter, prioritize and bind, and every card after.

    demo.py            ends by itself and leaves nothing running
    demo.py --serve    keeps the allocator up and prints curl lines to try

Starts the real allocator on config/demo-cluster.yaml and plays kube-apiserver and kube-scheduler to it
over HTTPS. The exit status is 0 only when everything came out as it must.
"""
import argparse
import json
import pathlib
import shlex
import signal
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
# pylint: disable=wrong-import-position  # found beside this file
from demonstration import drawing  # noqa: E402
from demonstration.allocator import Allocator  # noqa: E402
from demonstration.certificates import Certificates  # noqa: E402
from demonstration.kubernetes import ApiServer, Scheduler  # noqa: E402
from demonstration.pods import PODS, Container, DemoPod  # noqa: E402

# What a term of the node's score says when it decides between two nodes (docs/reference/scoring.md).
_TERMS = {
    "ring": "faster links between its cards",
    "pairs": "more bandwidth between its cards",
    "numa_nodes": "fewer NUMA nodes",
    "shared_already": "its card is shared already, so no idle card is opened",
    "node_core_used": "the fuller node",
    "node_memory_used": "the node with more memory in use",
    "left_on_cards": "less is left over on the card",
}


def why(report):
    """Why the best node is ahead of the second, in words, from the allocator's own explanation."""
    fitting = [node for node in report["nodes"] if node["fits"]]
    if len(fitting) == 1:
        return "the only node that fits"
    best, second = fitting[:2]
    for mine, other in zip(best["score"], second["score"]):
        if mine["value"] != other["value"]:
            reason = _TERMS.get(mine["term"], f"better in {mine['term']}")
            return f"first of {len(fitting)} nodes that fit: {reason} (next: {second['name']})"
    return f"first of {len(fitting)} equal nodes by name"


def place(pod, names, api_server, scheduler, allocator):
    """Takes one pod through its life up to the bind: (outcome, node, cards, why)."""
    stored, sentence = api_server.create(pod.manifest())
    if stored is None:
        return "refused", "-", "-", sentence
    feasible, sentence = scheduler.feasible(stored, names)
    if not feasible:
        return "pending", "-", "-", sentence
    node = scheduler.best(stored, feasible)
    path = f"/explain?pod=demo/{pod.name}"
    report = allocator.monitor_json(path)
    if report["best_node"] != node:
        raise RuntimeError(f"prioritize chose {node}, explain says {report['best_node']}")
    scheduler.bind(stored, node)
    held = allocator.monitor_json(path)
    if held["state"] != "bound" or held["node"] != node:
        raise RuntimeError(f"{pod.name} is {held['state']} on {held['node']}, not bound to {node}")
    cards = "; ".join(
        f"{each['container']} " + ",".join(card["uuid"].rsplit("-", 1)[1] for card in each["cards"])
        for each in held["containers"])
    return "placed", node, cards, why(report)


def check_cards(before, after, placed):
    """Recomputes from the manifests what the cards must hold, and compares."""
    def total(state):
        return sum(card["core_used"] for node in state["nodes"] for card in node["cards"])
    given = total(after) - total(before)
    # Init containers have ended before the others start, so here they add nothing.
    asked = sum(each.core for pod in placed for each in pod.containers)
    if given != asked:
        raise RuntimeError(f"the pods ask for {asked} %, the cards hold {given} % more")
    for node in after["nodes"]:
        for card in node["cards"]:
            if card["core_used"] > 100 or card["mib_used"] > card["mib_total"]:
                raise RuntimeError(f"card {card['minor']} of {node['name']} is over-booked")


def run(allocator, certificates):
    """The six pods; the number of outcomes that are not as expected."""
    api_server = ApiServer(allocator.addresses["admission"], certificates)
    scheduler = Scheduler(allocator.addresses["extender"], certificates)
    before = allocator.monitor_json("/cards")
    # kube-scheduler drops cordoned nodes before it asks an extender.
    names = [node["name"] for node in before["nodes"] if not node["cordoned"]]
    rows, placed, wrong = [], [], []
    for pod in PODS:
        outcome, node, cards, reason = place(pod, names, api_server, scheduler, allocator)
        rows.append((pod.name, pod.asks, outcome, node, cards, reason))
        if outcome == "placed":
            placed.append(pod)
        if outcome != pod.expected:
            wrong.append(f"{pod.name} is {outcome}, expected {pod.expected}")
    api_server.caller.close()
    scheduler.caller.close()
    after = allocator.monitor_json("/cards")
    print(drawing.table(("pod", "asks for", "outcome", "node", "cards (by container)"), rows))
    print("\n" + drawing.cards(before, after) + "\n")
    check_cards(before, after, placed)
    for each in wrong:
        print(f"demo.py: {each}", file=sys.stderr)
    return len(wrong)


def _curl_lines(allocator, certificates, folder):
    """Bodies for a further pod on disk, and the commands that send them."""
    pod = DemoPod("yours", "", (Container("app", 30, 8),)).manifest()
    review = ApiServer(allocator.addresses["admission"], certificates).review(pod)
    pod["metadata"]["uid"] = "11111111-2222-3333-4444-555555555555"
    state = allocator.monitor_json("/cards")["nodes"]
    names = [node["name"] for node in state if not node["cordoned"]]
    bodies = {"mutate": review, "filter": {"Pod": pod, "Nodes": None, "NodeNames": names},
              "bind": {"PodName": "yours", "PodNamespace": "demo", "PodUID": pod["metadata"]["uid"],
                       "Node": "infer-1"}}
    for name, body in bodies.items():
        (folder / f"{name}.json").write_text(json.dumps(body, indent=1) + "\n")
    monitor = f"http://{allocator.addresses['monitor']}"
    extender = f"https://{allocator.addresses['extender']}/scheduler"
    client = " ".join(f"--{flag} {shlex.quote(str(certificates.path(name)))}" for flag, name in (
        ("cacert", "ca.crt"), ("cert", "scheduler.crt"), ("key", "scheduler.key")))
    json_type = "-H 'Content-Type: application/json'"

    def post(url, name):
        body = shlex.quote(str(folder / f"{name}.json"))
        return f"curl -s {client} {json_type} --data @{body} {url}"
    return [f"curl -s {monitor}/readyz", f"curl -s {monitor}/cards", f"curl -s {monitor}/metrics",
            f"curl -s '{monitor}/explain?pod=demo/training'",
            post(f"https://{allocator.addresses['admission']}/admission/mutate", "mutate"),
            post(f"{extender}/filter", "filter"), post(f"{extender}/prioritize", "filter"),
            f"curl -s '{monitor}/explain?pod=demo/yours'", post(f"{extender}/bind", "bind")]


def serve(allocator, certificates, folder):
    """Prints what to try and waits for Ctrl-C or SIGTERM."""
    print(f"The allocator is up; its log: {allocator.log}\nTry, in this order:\n")
    for line in _curl_lines(allocator, certificates, folder):
        print(f"  {line}")
    print("\nCtrl-C ends it.", flush=True)
    signal.sigwait({signal.SIGINT, signal.SIGTERM})
    print()


def main():
    """Runs the demo."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--serve", action="store_true", help="keep the allocator up")
    arguments = parser.parse_args()
    if arguments.serve:
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})
    with tempfile.TemporaryDirectory(prefix="aliquot-demo-") as name:
        folder = pathlib.Path(name)
        certificates = Certificates(folder)
        allocator = Allocator(certificates, folder)
        try:
            wrong = run(allocator, certificates)
            if arguments.serve and not wrong:
                serve(allocator, certificates, folder)
        finally:
            status = allocator.stop()
        if status:
            raise RuntimeError(f"the allocator ended with status {status}; its log says:\n"
                               + allocator.log.read_text(errors="replace"))
    return 1 if wrong else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (RuntimeError, OSError) as error:
        print(f"demo.py: {error}", file=sys.stderr)
        sys.exit(1)
