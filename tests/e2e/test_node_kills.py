# SPDX-License-Identifier: Apache-2.0
"""kill -9 of agent, kubelet or containerd at every step of a pod's life: everything converges.

Afterwards each container has exactly the cards of its record, running ones were not disturbed, no
card is given twice, and no grant is left over.
"""
import pytest

from harness import pods, runtime
from harness.waiting import until

VICTIMS = ["agent", "kubelet", "containerd"]
pytestmark = pytest.mark.parametrize("victim", VICTIMS)


@pytest.fixture
def work(real_nodes, node_work):
    """A namespace on a node of four T4 that may be damaged."""
    return node_work(real_nodes.get("kills", runtime.NEW, "t4x4"))


def kill(node, victim):
    """Ends one program as a crash would."""
    {"agent": lambda: node.agent.process, "kubelet": lambda: node.kubelet.process,
     "containerd": lambda: node.runtime.process}[victim]().kill()


def revive(node, victim):
    """Starts it again and waits until it is of use."""
    {"agent": node.agent.start, "kubelet": node.start_kubelet,
     "containerd": node.start_runtime}[victim]()
    until("devices to be offered again", lambda: node.allocatable(pods.CORE) == 400, timeout=30)


def bystander(work):
    """A pod that runs through it all; returns its container's status."""
    work.create(pods.share("bystander", core=50, memory=15))
    work.wait_running("bystander")
    return work.container_status("bystander")


def check_all(work, before):
    """What must hold once things have settled."""
    after = work.container_status("bystander")
    assert (after["containerID"], after["restartCount"]) == (before["containerID"], 0)
    held, live = {}, 0
    for each in work.pods()[0]:
        name = each["metadata"]["name"]
        work.wait_running(name)
        granted = work.granted(name)["main"]
        report = work.report(name)
        assert report.cards() == granted == report.reachable_cards(), name
        live += 1
        share = int(each["spec"]["containers"][0]["resources"]["limits"][pods.CORE])
        for card in granted:
            held[card] = held.get(card, 0) + min(share, 100)
    assert all(total <= 100 for total in held.values()), held
    agent = work.node.agent
    until("as many grants as containers", lambda: len(agent.grants_on_disk()) == live
          and len(agent.grants()["grants"]) == live, timeout=20)


def test_before_allocate(work, victim):
    before = bystander(work)
    kill(work.node, victim)
    if victim == "agent":
        # A pod that is bound before the kubelet has noticed is failed by it for good, as with any
        # device plugin; whoever made the pod makes another.
        until("the devices to be withdrawn", lambda: work.node.allocatable(pods.CORE) == 0)
    work.create_all([pods.share("next", core=60, memory=15), pods.whole("whole", cards=2)])
    revive(work.node, victim)
    work.nudge("next")
    work.nudge("whole")
    work.wait_running("next", "whole", timeout=60)
    check_all(work, before)


def test_between_allocate_and_prestart(work, victim):
    before = bystander(work)
    work.create_held(pods.share("next", core=60, memory=15))
    kill(work.node, victim)
    work.let_go("next")
    revive(work.node, victim)
    work.nudge("next")
    work.wait_running("next", timeout=60)
    check_all(work, before)


def test_in_the_middle_of_prestart(work, victim):
    before = bystander(work)
    work.node.pod_resources.hold()
    work.create(pods.share("next", core=60, memory=15))
    until("the agent to ask PodResources", work.node.pod_resources.holding, timeout=20)
    kill(work.node, victim)
    work.node.pod_resources.unblock()
    revive(work.node, victim)
    work.nudge("next")
    work.wait_running("next", timeout=60)
    check_all(work, before)


def test_while_the_container_runs(work, victim):
    before = bystander(work)
    kill(work.node, victim)
    assert work.container_status("bystander")["state"].get("running")
    revive(work.node, victim)
    work.create_all([pods.share("next", core=60, memory=15), pods.share("more", core=50, memory=15)])
    work.wait_running("next", "more", timeout=60)
    check_all(work, before)


def test_while_the_pod_terminates(work, victim):
    before = bystander(work)
    work.create(pods.pod("ends", [pods.container(
        core=300, command=["sh", "-c", "trap '' TERM; probe report; sleep 60"])]))
    work.wait_running("ends")
    work.delete("ends", grace=3)
    kill(work.node, victim)
    work.create(pods.whole("heir", cards=3))
    revive(work.node, victim)
    work.wait_running("heir", timeout=60)
    check_all(work, before)
