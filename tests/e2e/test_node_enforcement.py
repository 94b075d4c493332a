# SPDX-License-Identifier: Apache-2.0
"""Two pods on one card each get their share, seen from inside, in time, and by the agent.

The card is simulated (harness/simulated_driver.py); kubelet, runtime, allocator, agent and library
are real. How exactly shares are held is measured in bench/, here it must be plain.
"""
import json
import time

import pytest

from harness import pods, runtime
from harness.waiting import until

MIB = 1 << 20
UNIT = 256 * MIB
SMALL, LARGE = 4096 * MIB, 7168 * MIB  # of the 15360 MiB of a T4
KERNEL = str(5_000_000)  # nanoseconds


@pytest.fixture(params=["devdir", "cdi"])
def work(real_nodes, node_work, request):
    """A namespace on a node of one simulated card."""
    return node_work(real_nodes.get(request.param, runtime.NEW, "t4x4", request.param, cards=1))


def share(work, name, core, memory, **more):
    """Creates a pod with a share of the card that does nothing by itself."""
    return work.create(work.node.driver.use(pods.share(name, core, memory // UNIT, **more)))


def said(work, name, *command):
    """What a client says in a pod, with its last line read as JSON."""
    return json.loads(work.execute(name, *command).splitlines()[-1])


def test_two_pods_on_one_card_each_have_their_memory_and_their_time(work):
    share(work, "small", 30, SMALL)
    share(work, "large", 50, LARGE)
    work.wait_running("small", "large")
    assert work.granted("small") == work.granted("large")
    for name, limit in (("small", SMALL), ("large", LARGE)):
        cuda, nvml = said(work, name, "meminfo"), said(work, name, "nvmlinfo")
        assert (cuda["total"], cuda["deviceTotal"], nvml["total"]) == (limit, limit, limit), name
        assert (cuda["devices"], nvml["devices"]) == (1, 1)
