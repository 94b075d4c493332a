# SPDX-License-Identifier: Apache-2.0
"""A card that fails: the node offers less, its pods are told, nothing new comes on it; it comes back."""
import json

import pytest

from harness import pods, runtime
from harness.expectations import (
    cards_of, check_container, check_nothing_twice, machine_state, wait_cards, wait_event,
    wait_offered, wait_refused_start, wait_started)
from harness.waiting import throughout

UNITS = 60  # of 256 MiB: the memory of a T4


@pytest.fixture
def work(real_nodes, node_work):
    """A namespace on a node of four T4, all of them healthy."""
    return node_work(real_nodes.get("health", runtime.OLD, "t4x4"))


def run_share(work, name="on-it"):
    """A pod with a fifth of a card; returns the card's UUID."""
    work.create(pods.share(name))
    work.wait_running(name)
    record = json.loads(pods.annotations_of(work.pod(name))[pods.ALLOCATION])
    return record["containers"]["main"]["cards"][0]["uuid"]


def words_with(node, uuid, word):
    """The words of all cards: healthy but for one."""
    return {**dict.fromkeys(cards_of(node), ("ok", "")), uuid: (word, "")}


def test_a_card_off_the_bus_starts_nothing_until_it_was_reset(work):
    node = work.node
    uuid = run_share(work)
    before = work.container_status("on-it")
    node.agent.set_state(machine_state(xids=[(79, uuid)]))
    wait_cards(node, words_with(node, uuid, "xid-79"))
    wait_offered(node, 300, 3 * UNITS)
    wait_event(work, "on-it", "GpuXid", "XID 79", uuid)
    wait_event(work, "on-it", "GpuUnhealthy", "XID 79", uuid)
    # What the node has left, 50 of 300, would fit on this card alone.
    others = [f"other-{index}" for index in range(3)]
    work.create_all([pods.share(name, core=60) for name in others])
    wait_started(work, *others)
    bad = node.agent.minors()[uuid]
    placed = sum((check_container(work, name) for name in others), [])
    assert sorted(placed) == [each for each in range(4) if each != bad]
    work.create(pods.share("waits", core=50))
    work.wait_refused("waits")
    after = work.container_status("on-it")
    assert (after["containerID"], after["restartCount"]) == (before["containerID"], 0)

    # What ran on goes on; what ends is not started again on such a card.
    work.execute("on-it", "kill", "1")
    sentence = wait_refused_start(work, "on-it", "card_unhealthy")
    assert uuid in sentence and "xid-79" in sentence
    assert work.starts("on-it") == 1

    # A reset: the driver loses the card, then has it again.
    node.agent.set_state(machine_state(cards=[{"uuid": uuid, "lost": True}]))
    wait_cards(node, words_with(node, uuid, "lost"))
    assert node.allocatable(pods.CORE) == 300
    wait_event(work, "on-it", "GpuUnhealthy", uuid, "no longer seen")
    node.agent.set_state(machine_state())
    wait_cards(node, ("ok", ""))
    wait_offered(node, 400, 4 * UNITS)
    wait_event(work, "on-it", "GpuRecovered", uuid)
    wait_started(work, "waits", "on-it")
    assert check_container(work, "waits") == check_container(work, "on-it") == [bad]
    check_nothing_twice(work)


def test_a_programs_own_fault_is_told_to_the_pod_and_marks_nothing(work):
    node = work.node
    uuid = run_share(work)
    node.agent.set_state(machine_state(xids=[(31, uuid)]))
    wait_event(work, "on-it", "GpuXid", "XID 31", uuid, "stays in use")
    throughout("all cards are offered", lambda: node.allocatable(pods.CORE) == 400, seconds=1.5)
    assert set(cards_of(node).values()) == {("ok", "")}
