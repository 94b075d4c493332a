# SPDX-License-Identifier: Apache-2.0
"""What the agent leans on is away: containers that had their cards start again, others wait, and all
goes on by itself.

NODE_EXHAUSTIVE=1 has the API server away for a minute instead of some seconds.
"""
import errno
import os

import pytest

from harness import pods, runtime
from harness.expectations import (
    check_container, check_nothing_twice, container_id, end_program, wait_refused_start,
    wait_started)
from harness.waiting import throughout, until

STATE = "/run/aliquot"
AWAY = 60 if os.environ.get("NODE_EXHAUSTIVE") else 3


@pytest.fixture
def node(real_nodes):
    """A node of four T4 whose state directory is a small file system of its own."""
    made = real_nodes.get("outages", runtime.OLD, "t4x4")
    if made.box.run(["mountpoint", "--quiet", STATE], check=False)[0] != 0:
        made.agent.process.stop()
        made.box.run(["mount", "-t", "tmpfs", "-o", "size=2m,mode=0755", "tmpfs", STATE])
        made.agent.start()
        until("devices to be offered", lambda: made.allocatable(pods.CORE) == 400)
    return made


@pytest.fixture
def work(node, node_work):
    """A namespace on it."""
    return node_work(node)


@pytest.fixture
def running(work):
    """A pod that runs on its card; its container can be made to start again."""
    work.create(pods.share("runs"))
    work.wait_running("runs")
    return "runs"


def start_again(work, name, known):
    """Ends a container as its program would; returns when the node has started it again.

    Neither needs the API server.
    """
    before = work.starts(name)
    end_program(work, known)
    until(f"{name} to start again", lambda: work.starts(name) > before, timeout=30)
    until("its report", lambda: work.report(name, start=-1))


@pytest.mark.parametrize("how", ["block", "hold"])
def test_starts_do_not_depend_on_pod_resources(work, running, how):
    getattr(work.node.pod_resources, how)()
    start_again(work, running, container_id(work, running))
    work.create(pods.share("new"))
    wait_started(work, "new")
    assert check_container(work, "new") and check_container(work, running)


def test_without_the_api_server_what_ran_starts_again_and_what_is_new_waits(work, running):
    node = work.node
    known = container_id(work, running)
    node.api_of_agent.block()
    throughout("the agent lives", node.agent.process.running, seconds=AWAY, every=0.5)
    start_again(work, running, known)
    work.create(pods.share("new"))
    sentence = wait_waiting_for(work, "new", "not_synced")
    assert "that the API server does not show" in sentence and "starts once" in sentence
    assert work.starts("new") == 0
    node.api_of_agent.unblock()
    wait_started(work, "new")
    check_container(work, "new")
    check_container(work, running)
    check_nothing_twice(work)


def wait_waiting_for(work, name, reason):
    """Waits until a start is refused for a reason; no event can be written about it now."""
    def refused():
        message = work.wait_waiting(name, "CreateContainerConfigError")
        return f"{reason}: " in message and message.split(f"{reason}: ", 1)[1]
    return until(f"{name} to be refused", refused, timeout=30)


def test_an_agent_that_starts_without_the_api_server_goes_by_what_lies_on_disk(work, running):
    node = work.node
    known = container_id(work, running)
    node.api_of_agent.block()
    node.agent.process.kill()
    node.agent.start(wait=False)
    until("it to have recalled its grants",
          lambda: node.agent.get("/healthz")[0] == 200 and node.agent.grants()["grants"])
    until("it to be registered", node.agent.registered)
    start_again(work, running, known)
    check_container(work, running)
    node.api_of_agent.unblock()
    check_nothing_twice(work)


def test_while_the_whole_node_is_cut_off_a_container_starts_again_on_its_card(work, running):
    node = work.node
    known = container_id(work, running)
    node.api_of_agent.block()
    node.api_of_kubelet.block()
    start_again(work, running, known)
    node.api_of_agent.unblock()
    node.api_of_kubelet.unblock()
    check_container(work, running)


def fill(node):
    """Leaves no room in the state directory."""
    filler = node.box.path(f"{STATE}/filler")
    with filler.open("wb", buffering=0) as written:
        try:
            while True:
                written.write(b"x" * 4096)
        except OSError as error:
            assert error.errno == errno.ENOSPC
    return filler


def check_no_half_grant(work, before):
    """Neither a grant nor a part of one lies in the state directory."""
    assert work.node.agent.grants_on_disk() == before
    building = work.node.box.path(f"{STATE}/building")
    assert not building.exists() or not list(building.iterdir())
    assert len(work.node.agent.grants()["grants"]) == len(before)


def test_a_full_disk_refuses_with_its_remedy_and_leaves_no_half_grant(work, running):
    before = work.node.agent.grants_on_disk()
    filler = fill(work.node)
    try:
        work.create(pods.share("new"))
        sentence = wait_refused_start(work, "new", "storage")
        assert STATE in sentence and "No space left" in sentence and "make room" in sentence
        check_no_half_grant(work, before)
    finally:
        filler.unlink()
    wait_started(work, "new")
    check_container(work, "new")
    check_nothing_twice(work)


def test_a_read_only_state_directory_refuses_with_its_remedy(work):
    node = work.node
    before = node.agent.grants_on_disk()
    node.box.run(["mount", "-o", "remount,ro", STATE])
    try:
        work.create(pods.share("new"))
        sentence = wait_refused_start(work, "new", "storage")
        assert STATE in sentence and "mount it writable" in sentence
        check_no_half_grant(work, before)
    finally:
        node.box.run(["mount", "-o", "remount,rw", STATE])
    wait_started(work, "new")
    check_container(work, "new")
    check_nothing_twice(work)
