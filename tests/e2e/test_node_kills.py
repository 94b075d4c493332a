# SPDX-License-Identifier: Apache-2.0
"""kill -9 of agent, kubelet or containerd at every step of a pod's life: everything converges.

All cases of a node share a namespace, and their pods stay: so each case is watched by the pods of
all before it. Afterwards each container has exactly the cards of its record, those that ran run on,
no card is given twice, and no grant is left over.

NODE_EXHAUSTIVE=1 does all of it on both runtimes and in both grant modes.
"""
import os

import pytest

from harness import pods, runtime
from harness.expectations import check_container, check_nothing_twice, wait_started
from harness.node_workspace import NodeWorkspace
from harness.waiting import throughout, until

VICTIMS = ["agent", "kubelet", "containerd"]
NODES = {"new-cdi": (runtime.NEW, "cdi"), "old-devdir": (runtime.OLD, "devdir"),
         "new-devdir": (runtime.NEW, "devdir")}
pytestmark = pytest.mark.parametrize("victim", VICTIMS)


@pytest.fixture(scope="module", params=NODES if os.environ.get("NODE_EXHAUSTIVE") else ["new-cdi"])
def shared(node_cluster, real_nodes, request):
    """A namespace on a node of four T4 that may be damaged."""
    kind, mode = NODES[request.param]
    made = NodeWorkspace(node_cluster, f"kills-{request.param}", real_nodes.get(
        f"kills-{mode}", kind, "t4x4", mode=mode))
    made.create(small("bystander"))
    made.wait_running("bystander")
    yield made
    made.clean()


@pytest.fixture
def work(shared):
    """The same, with all programs of the node alive."""
    yield shared
    shared.node.restore()


def small(name):
    """A pod so small that those of all cases have room."""
    return pods.share(name, core=5, memory=2)


def running(work):
    """The containers that run now: pod -> (container, starts)."""
    found = {}
    for pod in work.pods()[0]:
        for status in pod["status"].get("containerStatuses") or []:
            if status["state"].get("running") and "deletionTimestamp" not in pod["metadata"]:
                found[pod["metadata"]["name"]] = (status["containerID"], status["restartCount"])
    return found


def kill(node, victim):
    """Ends one program as a crash would."""
    {"agent": lambda: node.agent.process, "kubelet": lambda: node.kubelet.process,
     "containerd": lambda: node.runtime.process}[victim]().kill()


def revive(node, victim):
    """Starts it again and waits until it is of use."""
    {"agent": node.agent.start, "kubelet": node.start_kubelet,
     "containerd": node.start_runtime}[victim]()
    until("devices to be offered again", lambda: node.allocatable(pods.CORE) == 400, timeout=30)


def check_all(work, before, *names):
    """What must hold once things have settled; `names` are the pods of this case."""
    wait_started(work, *names)
    for name in names:
        assert check_container(work, name)
    after = running(work)
    assert {name: after.get(name) for name in before} == before, "a container was disturbed"
    check_nothing_twice(work)


def test_while_the_pod_terminates(work, victim):
    # The first of all: later the small ones are on every card.
    before, ends, heir = running(work), f"ends-{victim}", f"heir-{victim}"
    work.create(pods.pod(ends, [pods.container(
        core=300, command=["sh", "-c", "trap '' TERM; probe report; sleep 60"])]))
    work.wait_running(ends)
    work.delete(ends, grace=3)
    kill(work.node, victim)
    # There is room for it only when the other is really gone.
    work.create(pods.whole(heir, cards=3))
    revive(work.node, victim)
    check_all(work, before, heir)
    work.delete(heir, grace=1)
    until("the heir to be gone", lambda: heir not in [
        pod["metadata"]["name"] for pod in work.pods()[0]])


def test_before_allocate(work, victim):
    before, name = running(work), f"before-{victim}"
    kill(work.node, victim)
    if victim == "agent":
        # A pod that is bound before the kubelet has noticed is failed by it for good, as with any
        # device plugin; whoever made the pod makes another.
        until("the devices to be withdrawn", lambda: work.node.allocatable(pods.CORE) == 0)
    work.create(small(name))
    revive(work.node, victim)
    check_all(work, before, name)


def test_between_allocate_and_prestart(work, victim):
    before, name = running(work), f"between-{victim}"
    work.create_held(small(name))
    kill(work.node, victim)
    work.let_go(name)
    revive(work.node, victim)
    check_all(work, before, name)


def test_in_the_middle_of_prestart(work, victim):
    before, name = running(work), f"middle-{victim}"
    work.node.pod_resources.hold()
    work.create(small(name))
    until("the agent to ask PodResources", work.node.pod_resources.holding, timeout=20)
    kill(work.node, victim)
    work.node.pod_resources.unblock()
    revive(work.node, victim)
    check_all(work, before, name)


def test_as_soon_as_the_grant_is_there(work, victim):
    before, name = running(work), f"after-{victim}"
    agent = work.node.agent
    grants = agent.grants_on_disk()
    work.create(small(name))
    # Its container is only about to be made then.
    until("the grant", lambda: agent.grants_on_disk() != grants, every=0.002)
    kill(work.node, victim)
    revive(work.node, victim)
    check_all(work, before, name)


def test_while_containers_run(work, victim):
    before, name = running(work), f"beside-{victim}"
    kill(work.node, victim)
    assert running(work) == before
    if victim == "containerd":
        # The kubelet then knows no version of it; nothing is withdrawn for that, as what is bound
        # just then would be failed for good.
        until("the kubelet to miss it",
              lambda: work.node.runtime_version().endswith("://Unknown"))
        throughout("all cards are offered", lambda: work.node.allocatable(pods.CORE) == 400,
                   seconds=2.5)
    revive(work.node, victim)
    work.create(small(name))
    check_all(work, before, name)
