# SPDX-License-Identifier: Apache-2.0
"""What was placed is what the container gets: exactly its cards, seen from inside the container."""
import json

import pytest

from harness import images, pods, runtime
from harness.waiting import until

CONTROL_NODES = {"/dev/nvidiactl", "/dev/nvidia-uvm", "/dev/nvidia-uvm-tools"}


@pytest.fixture(params=["devdir", "cdi"])
def work(real_nodes, node_work, request):
    """A namespace on a node of four T4 without links.

    Once on the old container runtime, where only device directories work, once on the new one by
    CDI. Device directories on the new one are what `big` has.
    """
    if request.param == "devdir":
        return node_work(real_nodes.get("t4", runtime.OLD, "t4x4"))
    return node_work(real_nodes.get("t4", runtime.NEW, "t4x4", mode="cdi"))


@pytest.fixture
def big(real_nodes, node_work):
    """A namespace on a node of eight NVLinked A100, granted by device directories."""
    return node_work(real_nodes.get("a100", runtime.NEW, "a100x8", mode="devdir"))


def check_container(work, name, container="main"):
    """The container has its own cards, may open them, and could make no other one work."""
    granted = work.granted(name).get(container, [])
    report = work.report(name, container)
    where = f"{name}/{container}"
    assert report.cards() == granted, f"{where} sees {report.cards()}, its record says {granted}"
    for minor in granted:
        assert report.may_open(f"/dev/nvidia{minor}"), f"{where} may not open card {minor}"
    if granted:
        assert CONTROL_NODES <= set(report.devices), f"{where} lacks control nodes"
        assert all(report.may_open(path) for path in CONTROL_NODES)
    if report.uid == 0:
        assert report.reachable_cards() == granted, f"{where} reaches another card"
    return granted


def test_a_card_comes_by_device_directory_or_by_cdi_as_configured(work):
    work.create(pods.share("fifth"))
    work.wait_running("fifth")
    (grant,) = work.node.agent.grants_on_disk()
    # What the agent answered, as the kubelet keeps it.
    answer = work.node.kubelet.answer(work.pod("fifth"), "main", pods.CORE)
    if work.node.agent.configuration["grant"]["mode"] == "cdi":
        assert f"aliquot.io/grant={grant}".encode() in answer and b"/dev" not in answer
    else:
        assert f"/run/aliquot/grants/{grant}/dev".encode() in answer
        assert b"aliquot.io/grant" not in answer


def test_a_container_finds_the_drivers_libraries(work):
    work.create(pods.share("fifth"))
    work.wait_running("fifth")
    listed = work.execute("fifth", "ls", "/usr/local/nvidia/lib64").split()
    assert {"libcuda.so.1", "libnvidia-ml.so.1"} <= set(listed)
    assert work.execute("fifth", "probe", "write", "/usr/local/nvidia/lib64/libcuda.so.1",
                        "x") == "EROFS"


def test_a_fifth_a_whole_card_and_two_cards_are_each_exactly_their_own(work):
    work.create_all([pods.share("fifth", core=20, memory=15), pods.whole("one"),
                     pods.whole("two", cards=2)])
    work.wait_running("fifth", "one", "two")
    cards = [check_container(work, name) for name in ("fifth", "one", "two")]
    assert [len(each) for each in cards] == [1, 1, 2]
    assert sorted(sum(cards, [])) == [0, 1, 2, 3], "four cards for four, none of them shared"
    report = work.report("fifth")
    assert report.environment["NVIDIA_VISIBLE_DEVICES"] == "void"
    assert "ro" in report.mounts["/run/aliquot/limits"].split(",")
    assert "rw" in report.mounts["/run/aliquot/usage"].split(",")


def test_two_containers_of_a_pod_hold_different_cards_and_a_third_holds_none(work):
    work.create(pods.pod("pair", [pods.container("a", core=70, memory=15),
                                  pods.container("plain"),
                                  pods.container("b", core=70, memory=15)]))
    work.wait_running("pair")
    assert check_container(work, "pair", "a") != check_container(work, "pair", "b")
    assert check_container(work, "pair", "plain") == []


def test_init_container_sidecar_and_container_each_get_their_own(work):
    work.create(pods.pod(
        "stages", [pods.container(core=60, memory=15)],
        init=[pods.container("prepare", core=200, args=["exit", "0"]),
              pods.container("side", core=60, memory=15, sidecar=True),
              # The kubelet hands it the very device IDs that the app container gets later.
              pods.container("check", core=60, memory=15, args=["exit", "0"])]))
    work.wait_running("stages")
    assert len(check_container(work, "stages", "prepare")) == 2
    for container in ("side", "check", "main"):
        assert len(check_container(work, "stages", container)) == 1
    granted = work.granted("stages")
    assert granted["side"] != granted["main"], "60 and 60 percent are more than one card"


def test_an_image_that_asks_for_all_gpus_gains_nothing(work):
    work.create(pods.pod("greedy", [
        pods.container(core=20, memory=15, image=images.GREEDY),
        pods.container("without", image=images.GREEDY),
        pods.container("by-env", core=20, memory=15, env=[
            {"name": "NVIDIA_VISIBLE_DEVICES", "value": "all"}])]))
    work.wait_running("greedy")
    for container, count in (("main", 1), ("without", 0), ("by-env", 1)):
        assert len(check_container(work, "greedy", container)) == count
        environment = work.report("greedy", container).environment
        assert environment["NVIDIA_VISIBLE_DEVICES"] == "void", container


def test_a_user_without_rights_can_open_its_card(work):
    work.create(pods.pod("user", [pods.container(core=20, memory=15, image=images.USER)]))
    work.wait_running("user")
    assert work.report("user").uid == 1000
    assert len(check_container(work, "user")) == 1


def test_a_grant_is_gone_once_its_pod_is(work):
    work.create(pods.share("short"))
    work.wait_running("short")
    agent = work.node.agent
    assert len(agent.grants_on_disk()) == 1
    work.delete("short", grace=1)
    until("the grant to be gone", lambda: not agent.grants_on_disk(), timeout=20)


def test_thirty_equal_pods_at_once_sit_on_the_cards_that_their_records_name(big):
    names = [f"equal-{index}" for index in range(30)]
    big.create_all([pods.share(name, core=20, memory=64) for name in names])
    big.wait_running(*names, timeout=90)
    held = {}
    for name in names:
        (card,) = check_container(big, name)
        annotations = pods.annotations_of(big.pod(name))
        assert annotations[f"{pods.INDEX_PREFIX}0"] == str(card)
        held[card] = held.get(card, 0) + 20
    assert sum(held.values()) == 600 and max(held.values()) <= 100, held
    grants = json.dumps(big.node.agent.grants())
    assert all(big.pod(name)["metadata"]["uid"] in grants for name in names)
