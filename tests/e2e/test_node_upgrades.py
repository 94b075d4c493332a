# SPDX-License-Identifier: Apache-2.0
"""What an operator does to a node with pods on it: the agent is upgraded, the node is drained, it is
rebooted; and containers that start again and again keep what is theirs.
"""
import json

import pytest

from harness import pods, runtime
from harness.expectations import (
    check_container, check_nothing_twice, container_id, end_program, machine_state, wait_offered,
    wait_started)
from harness.waiting import until

UNITS = 60  # of 256 MiB: the memory of a T4
STATE = "/run/aliquot"


@pytest.fixture
def work(real_nodes, node_work):
    """A namespace on a node of four T4."""
    return node_work(real_nodes.get("upgrades", runtime.NEW, "t4x4", mode="devdir"))


def identity(work, name):
    """Which container runs, since when, and as which process of the node."""
    status = work.container_status(name)
    tasks = work.node.runtime.ctr("tasks", "list")[1]
    container = container_id(work, name)
    (pid,) = [line.split()[1] for line in tasks.splitlines() if line.startswith(container)]
    return container, status["restartCount"], status["state"]["running"]["startedAt"], pid


def granted(work):
    """Every grant of the agent's page: (pod, container) -> its cards."""
    return {(each["uid"], each["container"]): each["cards"]
            for each in work.node.agent.grants()["grants"]}


def test_an_upgraded_agent_takes_over_running_pods_in_another_mode_as_well(work):
    node = work.node
    names = ["share", "other", "pair"]
    work.create_all([pods.share("share"), pods.share("other", core=90),
                     pods.whole("pair", cards=2)])
    work.wait_running(*names)
    before = {name: identity(work, name) for name in names}
    grants = granted(work)
    assert node.agent.process.stop() == 0
    text = node.object()["metadata"]["annotations"]["aliquot.io/gpu-inventory"]
    assert json.loads(text)["state"] == "leaving"
    node.agent.configure(grant={"mode": "cdi"})
    node.agent.start()
    try:
        wait_offered(node, 400, 4 * UNITS)
        assert {name: identity(work, name) for name in names} == before
        assert granted(work) == grants
        # It follows the registration, by at most a second.
        until("the node to be back", lambda: "state" not in json.loads(
            node.object()["metadata"]["annotations"]["aliquot.io/gpu-inventory"]))
        # What the kubelet keeps of the old mode still starts; what is new comes by the new mode.
        end_program(work, container_id(work, "share"))
        work.wait_restarts("share", 1)
        work.create(pods.share("new"))
        wait_started(work, "new", "share")
        assert b"aliquot.io/grant=" in node.kubelet.answer(work.pod("new"), "main", pods.CORE)
        for name in [*names, "new"]:
            check_container(work, name)
        check_nothing_twice(work)
    finally:
        node.agent.configure(grant={"mode": "devdir"})
        node.agent.restart()
        wait_offered(node, 400, 4 * UNITS)


def test_a_drained_node_has_no_grants_and_all_its_cards(work):
    node = work.node
    work.create_all([pods.share("share"), pods.whole("pair", cards=2)])
    work.wait_running("share", "pair")
    status, _, problem = work.cluster.kubectl(
        "drain", node.name, "--force", "--grace-period=1", "--pod-selector=aliquot.io/gpu=true")
    try:
        assert status == 0, problem
        assert not work.pods()[0]
        until("the grants to be gone", lambda: not node.agent.grants_on_disk()
              and not node.agent.grants()["grants"])
    finally:
        work.cluster.kubectl("uncordon", node.name)
    work.create(pods.whole("all", cards=4))
    work.wait_running("all")
    assert check_container(work, "all") == [0, 1, 2, 3]


def test_a_container_that_starts_ten_times_keeps_its_card_and_its_usage(work):
    # Each start adds a letter to the reserved part of its usage file, where the agent looks at
    # nothing, and ends. The file is the same one all the time.
    script = ("probe report; n=0; "
              "while [ $(dd if=/run/aliquot/usage bs=1 skip=$((64+n)) count=1 2>/dev/null) ]; "
              "do n=$((n+1)); done; "
              "printf x | dd of=/run/aliquot/usage bs=1 seek=$((64+n)) conv=notrunc 2>/dev/null")
    work.create(pods.pod("again", [pods.container(core=20, memory=15,
                                                  command=["sh", "-c", script])]))
    until("its first start", lambda: work.starts("again"))
    (grant,) = work.node.agent.grants_on_disk()
    region = work.node.box.path(f"{STATE}/usage/{grant}/region")
    inode = region.stat().st_ino
    work.wait_restarts("again", 10, timeout=60)
    assert region.stat().st_ino == inode
    marks = region.read_bytes()[64:96].rstrip(b"\0")
    assert set(marks) == {ord("x")} and len(marks) >= 10, marks
    granted_now = work.granted("again")["main"]
    for start in range(work.starts("again")):
        report = work.report("again", start=start)
        assert report.cards() == report.reachable_cards() == granted_now
    check_nothing_twice(work)


@pytest.mark.parametrize("agent_first", [True, False])
def test_after_a_reboot_with_other_minor_numbers_nothing_runs_on_a_stale_card(
        real_nodes, node_work, agent_first):
    node = real_nodes.get("reboots", runtime.OLD, "t4x4")
    work = node_work(node)
    names = ["share", "whole", "pair"]
    work.create_all([pods.share("share"), pods.whole("whole"), pods.whole("pair", cards=2)])
    work.wait_running(*names)
    uids = {name: work.pod(name)["metadata"]["uid"] for name in names}
    before = {name: check_container(work, name) for name in names}
    node.power_off()
    # The driver numbers the cards the other way round from now on.
    numbers = {uuid: 3 - minor for uuid, minor in node.agent.minors().items()}
    node.agent.set_state(machine_state(cards=[
        {"uuid": uuid, "minor": minor} for uuid, minor in numbers.items()]))
    node.start(agent_first)
    until("the new numbers", lambda: node.agent.minors() == numbers)
    wait_offered(node, 400, 4 * UNITS)

    def settled(name):
        pod = work.pod(name)
        assert pod["metadata"]["uid"] == uids[name]
        if pod["status"]["phase"] == "Failed":
            return "rejected"
        work.nudge(name)
        return "started" if work.starts(name) > 1 else None
    outcome = {name: until(f"{name} to start or to be rejected", lambda name=name: settled(name),
                           timeout=40, every=0.3) for name in names}
    for name in names:
        if outcome[name] == "rejected":
            # By the kubelet, which knew no device when it came to the pod; nothing of it ran.
            assert work.starts(name) == 1
            assert work.pod(name)["status"]["reason"] == "UnexpectedAdmissionError"
        else:
            wait_started(work, name)
            assert check_container(work, name) == [3 - each for each in reversed(before[name])]
    if agent_first:
        assert set(outcome.values()) == {"started"}
    check_nothing_twice(work)
