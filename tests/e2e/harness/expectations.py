# SPDX-License-Identifier: Apache-2.0
"""What several tests of real nodes wait for and check, read from the API and inside containers."""
import itertools
import json

from . import pods
from .waiting import until

_SEQUENCE = itertools.count(1)  # the simulated driver numbers its events


def machine_state(cards=(), xids=()):
    """A state file of the simulated machine; `xids` are (code, UUID) and happen now."""
    return {"apiVersion": "aliquot.io/v1alpha1", "kind": "MachineState", "cards": list(cards),
            "events": [{"sequence": next(_SEQUENCE), "xid": code, "card": uuid}
                       for code, uuid in xids]}


def cards_of(node):
    """The cards as the node publishes them: UUID -> (health, mode)."""
    text = node.object()["metadata"]["annotations"]["aliquot.io/gpu-inventory"]
    return {card[0]: (card[7], card[8]) for card in json.loads(text)["cards"]}


def wait_cards(node, expected):
    """Waits until the inventory says this of every card: one (health, mode) for all, or by UUID."""
    def published():
        found = cards_of(node)
        wanted = expected if isinstance(expected, dict) else dict.fromkeys(found, expected)
        differing = {uuid: found[uuid] for uuid in found if found[uuid] != wanted[uuid]}
        assert not differing, f"it says {differing}"
        return True
    # Cards are checked every fifteen seconds.
    until(f"the inventory of {node.name} to say {expected}", published, timeout=45)


def wait_offered(node, core, memory):
    """Waits until the kubelet offers exactly so much."""
    def offered():
        found = (node.allocatable(pods.CORE), node.allocatable(pods.MEMORY))
        assert found == (core, memory), f"it offers {found}"
        return True
    until(f"{node.name} to offer {core} and {memory}", offered)


def wait_event(work, name, reason, *words):
    """Waits for an event about a pod that has all these words; returns its text."""
    def found():
        texts = [each["message"] for each in work.events(name) if each["reason"] == reason]
        for text in texts:
            if all(word in text for word in words):
                return text
        raise AssertionError(f"its events of {reason} are {texts}")
    return until(f"an event {reason} of {name} with {words}", found)


def wait_refused_start(work, name, reason, container="main"):
    """Waits until a container's start is refused, in its status and as an event of the agent's;
    returns the sentence. Nothing of the container may have run."""
    wanted = f"{reason}: "

    def refused():
        status = work.container_status(name, container) or {}
        state = (status.get("state") or {}).get("waiting") or {}
        text = state.get("message") or ""
        if state.get("reason") == "CreateContainerConfigError" and wanted in text:
            return text.split(wanted, 1)[1]
        work.nudge(name)
        raise AssertionError(f"the status is {status}")
    sentence = until(f"{name}/{container} to be refused with {reason}", refused, timeout=30,
                     every=0.3)
    wait_event(work, name, "GpuGrantRefused", wanted + sentence[:200])
    return sentence


def wait_started(work, *names, timeout=60):
    """Waits until these pods run; the kubelet is asked to look at those that wait."""
    def running():
        try:
            return work.in_phase("Running", names)
        except AssertionError:
            for name in names:
                if work.pod(name)["status"].get("phase") != "Running":
                    work.nudge(name)
            raise
    until(f"{names} to run", running, timeout, every=0.5)


def end_program(work, container_id):
    """Ends a container as its program would. It takes with it who asked for that."""
    status, text = work.node.runtime.execute(container_id, "kill", "1", check=False)
    assert status in (0, 137), text


def container_id(work, name):
    """What the runtime calls a pod's container."""
    return work.container_status(name)["containerID"].split("://")[1]


def check_container(work, name, container="main"):
    """The container has the cards of its record, may open them, and reaches no other one."""
    granted = work.granted(name)[container]
    report = work.report(name, container)
    where = f"{name}/{container}"
    assert report.cards() == granted, f"{where} sees {report.cards()}, its record says {granted}"
    assert all(report.may_open(f"/dev/nvidia{minor}") for minor in granted), where
    assert report.reachable_cards() == granted, f"{where} reaches another card"
    return granted


def _held(shares):
    """UUID -> percent, of lists of (UUID, percent)."""
    held = {}
    for uuid, core in shares:
        held[uuid] = held.get(uuid, 0) + core
    assert all(total <= 100 for total in held.values()), f"a card is given twice: {held}"
    return held


def check_nothing_twice(work):
    """The records of the running pods, the agent's grants and its disk say the same, and no card
    holds more than a card."""
    def same():
        recorded, names = {}, 0
        for pod in work.pods()[0]:
            if pod["status"].get("phase") in pods.ENDED:
                continue
            text = pods.annotations_of(pod).get(pods.ALLOCATION)
            for container, share in (json.loads(text)["containers"] if text else {}).items():
                recorded[(pod["metadata"]["uid"], container)] = [
                    (card["uuid"], card["core"]) for card in share["cards"]]
                names += 1
        granted = {(each["uid"], each["container"]): [
            (card["uuid"], card["core"]) for card in each["cards"]]
                   for each in work.node.agent.grants()["grants"]}
        _held(sum(recorded.values(), []))
        _held(sum(granted.values(), []))
        assert granted == recorded, f"granted: {granted}, recorded: {recorded}"
        assert len(work.node.agent.grants_on_disk()) == names, "another number lies on disk"
        return True
    until("records, grants and disk to agree", same)
