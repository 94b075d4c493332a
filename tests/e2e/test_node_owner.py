# SPDX-License-Identifier: Apache-2.0
"""One owner a card: what another plugin hands out is not offered by us, unless it is listed as ours."""
import pytest

from harness import pods, runtime
from harness.api import JSON_PATCH
from harness.expectations import (
    cards_of, check_container, container_id, end_program, wait_cards, wait_offered,
    wait_refused_start, wait_started)

UNITS = 60  # of 256 MiB: the memory of a T4
NVIDIA = "nvidia.com/gpu"


@pytest.fixture
def work(real_nodes, node_work):
    """A namespace on a node of four T4 that nobody else claims before and after."""
    node = real_nodes.get("owner", runtime.NEW, "t4x4", mode="cdi")
    yield node_work(node)
    advertise(node, None)
    if node.agent.configuration.get("cards"):
        del node.agent.configuration["cards"]
        node.agent.restart()
    wait_offered(node, 400, 4 * UNITS)


def advertise(node, count):
    """Another device plugin says how many GPUs it has; None: it never was there."""
    status = node.object()["status"]
    changes = [{"op": "remove" if count is None else "add",
                "path": f"/status/{part}/{NVIDIA.replace('/', '~1')}",
                **({} if count is None else {"value": str(count)})}
               for part in ("capacity", "allocatable")
               if count is not None or NVIDIA in status[part]]
    if changes:
        node.api.patch(f"{node.path}/status", changes, content_type=JSON_PATCH)


def test_cards_that_another_plugin_advertises_are_not_ours_until_it_is_gone(work):
    node = work.node
    work.create(pods.share("ours"))
    work.wait_running("ours")
    advertise(node, 4)
    wait_cards(node, ("ok", "foreign"))
    wait_offered(node, 0, 0)
    assert "the node advertises 4 nvidia.com/gpu" in node.agent.process.log_tail()
    assert "nvidia.com/gpu.deploy.device-plugin=false" in node.agent.process.log_tail()
    assert node.agent.metric("aliquot_agent_degraded", state="owned_by_other") == 1
    assert work.container_status("ours")["restartCount"] == 0
    # A container of before does not start again on a card that two plugins hand out.
    end_program(work, container_id(work, "ours"))
    assert "foreign" in wait_refused_start(work, "ours", "card_unhealthy")
    advertise(node, None)
    wait_cards(node, ("ok", ""))
    wait_offered(node, 400, 4 * UNITS)
    wait_started(work, "ours")
    check_container(work, "ours")


def test_cards_that_the_configuration_lists_are_ours_beside_another_plugin(work):
    node = work.node
    mine = sorted(cards_of(node))[1:3]
    advertise(node, 2)
    wait_cards(node, ("ok", "foreign"))
    node.agent.configure(cards={"include": mine})
    node.agent.restart()
    wait_cards(node, {uuid: ("ok", "" if uuid in mine else "foreign") for uuid in cards_of(node)})
    wait_offered(node, 200, 2 * UNITS)
    work.create(pods.whole("pair", cards=2))
    work.wait_running("pair")
    assert check_container(work, "pair") == sorted(node.agent.minors()[uuid] for uuid in mine)
