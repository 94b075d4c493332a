# SPDX-License-Identifier: Apache-2.0
"""A card that fails: the node offers less, its pods are told, nothing new comes on it; it comes back."""
import json

import pytest

from harness import pods, runtime
from harness.expectations import (
    cards_of, check_container, check_nothing_twice, container_id, end_program, machine_state,
    wait_cards, wait_event, wait_offered, wait_refused_start, wait_started)
from harness.waiting import throughout

UNITS = 60  # of 256 MiB: the memory of a T4
MIG_STATE = "nvidia.com/mig.config.state"


@pytest.fixture
def work(real_nodes, node_work):
    """A namespace on a node of four T4, all of them healthy."""
    return node_work(real_nodes.get("health", runtime.OLD, "t4x4"))


def mig_state(node, state):
    """GPU Operator's MIG manager says how far it is."""
    node.api.patch(node.path, {"metadata": {"labels": {MIG_STATE: state}}})


def run_share(work, name="on-it"):
    """A pod with a fifth of a card; returns the card's UUID."""
    work.create(pods.share(name))
    work.wait_running(name)
    record = json.loads(pods.annotations_of(work.pod(name))[pods.ALLOCATION])
    return record["containers"]["main"]["cards"][0]["uuid"]


def but(node, **words):
    """The cards as published when all are healthy but those of these minor numbers: c1="lost"."""
    return {uuid: (words.get(f"c{minor}", "ok"), "")
            for uuid, minor in node.agent.minors().items()}


def test_a_card_that_fails_takes_nothing_new_and_comes_back(work):
    node = work.node
    uuid = run_share(work)
    (bad,) = check_container(work, "on-it")
    before = work.container_status("on-it")
    node.agent.set_state(machine_state(xids=[(79, uuid)]))
    wait_cards(node, but(node, **{f"c{bad}": "xid-79"}))
    wait_offered(node, 300, 3 * UNITS)
    wait_event(work, "on-it", "GpuXid", "XID 79", uuid)
    wait_event(work, "on-it", "GpuUnhealthy", "XID 79", uuid)
    # What the node has left, 50 of 300, would fit on this card alone.
    others = [f"other-{index}" for index in range(3)]
    work.create_all([pods.share(name, core=60) for name in others])
    wait_started(work, *others)
    placed = {name: check_container(work, name)[0] for name in others}
    assert set(placed.values()) == {0, 1, 2, 3} - {bad}
    work.create(pods.share("waits", core=50))
    work.wait_refused("waits")
    after = work.container_status("on-it")
    assert (after["containerID"], after["restartCount"]) == (before["containerID"], 0)

    # The driver loses another one; what ran on the first is not started again there.
    lost = {minor: each for each, minor in node.agent.minors().items()}[placed["other-0"]]
    node.agent.set_state(machine_state(cards=[{"uuid": lost, "lost": True}]))
    end_program(work, container_id(work, "on-it"))
    sentence = wait_refused_start(work, "on-it", "card_unhealthy")
    assert uuid in sentence and "xid-79" in sentence
    assert work.starts("on-it") == 1
    wait_cards(node, but(node, **{f"c{bad}": "xid-79", f"c{placed['other-0']}": "lost"}))
    wait_offered(node, 200, 2 * UNITS)
    wait_event(work, "other-0", "GpuUnhealthy", lost, "no longer seen")

    # GPU Operator has the driver to itself for a while: the XID is over with that, and the lost card
    # is there again.
    mig_state(node, "pending")
    wait_cards(node, ("mig-config", ""))
    wait_offered(node, 0, 0)
    assert f"label {MIG_STATE} is pending" in node.agent.process.log_tail()
    node.agent.set_state(machine_state())
    mig_state(node, "success")
    wait_cards(node, ("ok", ""))
    wait_offered(node, 400, 4 * UNITS)
    wait_event(work, "on-it", "GpuRecovered", uuid)
    wait_event(work, "other-0", "GpuRecovered", lost)
    wait_started(work, "waits", "on-it")
    assert check_container(work, "waits") == check_container(work, "on-it") == [bad]
    assert work.container_status("other-0")["restartCount"] == 0
    check_nothing_twice(work)


def test_a_programs_own_fault_is_told_to_the_pod_and_marks_nothing(work):
    node = work.node
    uuid = run_share(work)
    node.agent.set_state(machine_state(xids=[(31, uuid)]))
    wait_event(work, "on-it", "GpuXid", "XID 31", uuid, "stays in use")
    throughout("all cards are offered", lambda: node.allocatable(pods.CORE) == 400, seconds=1.5)
    assert set(cards_of(node).values()) == {("ok", "")}
