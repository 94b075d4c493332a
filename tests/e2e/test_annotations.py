# SPDX-License-Identifier: Apache-2.0
"""What users ask of their cards by annotation, from kubectl to the cards on the bound pod."""
import json

import pytest

from harness import pods
from harness.api import ApiError
from harness.waiting import until

ALLOW = "aliquot.io/allow-gpu-uuid"


def _asking(built, **wishes):
    """The pod with annotations aliquot.io/KEY, `_` for `-` in a key."""
    built["metadata"].setdefault("annotations", {}).update(
        {f"aliquot.io/{key.replace('_', '-')}": value for key, value in wishes.items()})
    return built


def _cards(bound):
    """The record's cards of every container, as [(minor, core, mib)] by container."""
    record = json.loads(pods.annotations_of(bound)[pods.ALLOCATION])
    return {name: [(int(card["uuid"].rsplit("-", 1)[1]), card["core"], card["mib"])
                   for card in given["cards"]] for name, given in record["containers"].items()}


def _minors(bound):
    """The minor numbers of all cards of the pod."""
    return sorted(minor for cards in _cards(bound).values() for minor, _, _ in cards)


def _bound(work, built):
    work.create(built)
    return work.wait_bound(built["metadata"]["name"])


def _refused(work, built):
    work.create(built)
    return work.wait_refused(built["metadata"]["name"])


@pytest.mark.core
def test_gpu_count_spreads_a_share_over_different_cards(work):
    work.add_node(cards=4)
    bound = _bound(work, _asking(pods.share("spread", core=40, memory=32), gpu_count="4"))
    # 40 % and 32 units of 256 MiB: 10 % and 2048 MiB on each of four cards.
    assert _cards(bound)["main"] == [(minor, 10, 2048) for minor in range(4)]
    assert pods.annotations_of(bound)[f"{pods.INDEX_PREFIX}0"] == "0,1,2,3"
    work.check_complete()


def test_gpu_count_beyond_the_node_is_refused_for_good(work):
    work.add_node(cards=2)
    sentence = _refused(work, _asking(pods.share("many", core=40, memory=32), gpu_count="4"))
    assert "the node has fewer usable GPUs than the pod needs" in sentence


@pytest.mark.core
def test_gpu_model_leads_to_cards_of_that_model(work):
    work.add_node(cards=2, prefix="old", model="Tesla T4")
    new = work.add_node(cards=2, prefix="new")
    # As the label of GPU feature discovery spells "NVIDIA A100-SXM4-80GB".
    named = _bound(work, _asking(pods.share("named"), gpu_model="NVIDIA-A100-SXM4-80GB"))
    assert pods.node_of(named) == new
    other = _bound(work, _asking(pods.share("other"), gpu_model="!T4"))
    assert pods.node_of(other) == new
    sentence = _refused(work, _asking(pods.share("none"), gpu_model="H100"))
    assert "2 no usable GPU of the node matches the pod's gpu-model" in sentence


@pytest.mark.core
def test_naming_a_card_needs_the_label_of_the_namespace(cluster, work):
    node = work.add_node(cards=4)
    wish = f"GPU-{node}-2"

    def denied():
        try:
            work.api.post(f"/api/v1/namespaces/{work.name}/pods?dryRun=All",
                          _asking(pods.share("probe"), gpu_uuid=wish))
        except ApiError as error:
            return error
        return None
    error = until("the policy to deny a named card", denied)
    assert error.code == 403 and error.reason == "Forbidden"
    assert "annotation aliquot.io/gpu-uuid names cards to have" in error.message
    assert work.name in error.message and f"{ALLOW}=true" in error.message

    # To exclude cards is everybody's right, and edits of a waiting pod are judged as well.
    waiting = _asking(pods.share("waiting", schedulingGates=[{"name": "test.example/wait"}]),
                      gpu_uuid=f"!{wish}")
    work.create(waiting)
    with pytest.raises(ApiError, match="names cards to have"):
        work.patch_metadata("waiting", annotations={"aliquot.io/gpu-uuid": wish})
    work.patch_metadata("waiting", annotations={"example.org/other": "edit"})

    cluster.api.patch(f"/api/v1/namespaces/{work.name}", {"metadata": {"labels": {ALLOW: "true"}}})

    def admitted():
        try:
            return work.create(_asking(pods.whole("named"), gpu_uuid=wish))
        except ApiError as again:
            assert "names cards to have" in again.message, again.message
            return None
    until("the label to count", admitted)
    assert _minors(work.wait_bound("named")) == [2]


def test_a_weaker_isolation_of_a_share_needs_the_namespaces_label(cluster, work):
    # What a policy says counts some moments after it was written, as for the label below.
    label = "aliquot.io/allow-weak-isolation"

    def denied():
        try:
            work.api.post(f"/api/v1/namespaces/{work.name}/pods?dryRun=All", _asking(pods.share("probe"), isolation="none"))
        except ApiError as error:
            return error
        return None
    error = until("the policy to deny it", denied)
    assert error.code == 403 and error.reason == "Forbidden"
    assert work.name in error.message and f"{label}=true" in error.message
    work.add_node(cards=2)
    assert _minors(_bound(work, _asking(pods.whole("whole"), isolation="none"))) != []

    cluster.api.patch(f"/api/v1/namespaces/{work.name}", {"metadata": {"labels": {label: "true"}}})

    def admitted():
        try:
            return work.create(_asking(pods.share("share"), isolation="none"))
        except ApiError as again:
            assert f"{label}=true" in again.message, again.message
            return None
    until("the label to count", admitted)
    record = json.loads(pods.annotations_of(work.wait_bound("share"))[pods.ALLOCATION])
    assert [each["isolation"] for each in record["containers"].values()] == ["none"]


def test_an_excluded_card_is_passed_over(work):
    node = work.add_node(cards=2)
    bound = _bound(work, _asking(pods.whole("elsewhere"), gpu_uuid=f"!GPU-{node}-0"))
    assert _minors(bound) == [1]
    sentence = _refused(work, _asking(pods.share("nowhere"),
                                      gpu_uuid=f"!GPU-{node}-0,!GPU-{node}-1"))
    assert "no usable GPU of the node matches the pod's gpu-uuid" in sentence


def test_a_named_card_of_another_pod_without_our_resources_is_nobodys_business(work):
    # The policy is about GPU pods only.
    built = _asking(pods.pod("plain", [pods.container()]), gpu_uuid="GPU-any")
    assert work.create(built)["metadata"]["name"] == "plain"


# Nodes of the tests have NVLink inside each half, which is a NUMA node, and SYS across.
@pytest.mark.core
@pytest.mark.parametrize("wish, later, never", [
    ("link", "not enough free GPUs that are all linked by NVLink",
     "the node has too few GPUs that are all linked by NVLink"),
    ("numa", "no NUMA node has enough free GPUs",
     "no NUMA node has as many GPUs as the pod needs")])
def test_required_cards_are_together_or_the_pod_waits(work, wish, later, never):
    work.add_node(cards=4)
    required = {wish: "required"}
    # On the empty node: later kube-scheduler's own sums would refuse it before we are asked.
    assert never in _refused(work, _asking(pods.whole("three", cards=3), **required))
    first = _bound(work, _asking(pods.pod("first", [pods.container("a", core=60, memory=4),
                                                    pods.container("b", core=60, memory=4)]),
                                 **required))
    assert _minors(first) in ([0, 1], [2, 3])
    alone = _bound(work, _asking(pods.whole("alone"), **required))
    assert _minors(alone)[0] // 2 != _minors(first)[0] // 2
    # One idle card is left, and 40 % each on two cards of the other half.
    assert later in _refused(work, _asking(pods.pod("beside", [
        pods.container("a", core=60, memory=4), pods.container("b", core=40, memory=4),
        pods.container("c", core=30, memory=4)]), **required))
    work.ledger().check()


def test_a_pod_that_waited_for_its_set_gets_it(work):
    work.add_node(cards=4)
    # Little on every card: kube-scheduler's sums would let the pair in.
    halves = [_bound(work, _asking(pods.share(f"half-{index}", core=20, memory=4), gpu_count="2",
                                   numa="required", placement="spread")) for index in range(2)]
    assert sorted(_minors(halves[0]) + _minors(halves[1])) == [0, 1, 2, 3]
    work.create(_asking(pods.whole("pair", cards=2), numa="required"))
    assert "not enough idle GPUs" in work.wait_refused("pair")
    work.delete("half-1")
    assert _minors(work.wait_bound("pair")) == _minors(halves[1])


@pytest.mark.core
def test_placement_chooses_between_full_and_empty_cards(work):
    work.add_node(cards=2)
    first = _minors(_bound(work, pods.share("first")))
    assert _minors(_bound(work, _asking(pods.share("packed"), placement="binpack"))) == first
    assert _minors(_bound(work, _asking(pods.share("apart"), placement="spread"))) != first


def test_preferred_never_refuses(work):
    work.add_node(cards=4)
    bound = _bound(work, _asking(pods.whole("three", cards=3), link="preferred",
                                 numa="preferred"))
    assert len(_minors(bound)) == 3
