# SPDX-License-Identifier: Apache-2.0
"""A fifth of a GPU: admitted, placed and bound with its cards in one write."""
import json

import pytest

from harness import audit, pods
from harness.waiting import until


def _settled(watch, name):
    """The events about a pod once one of them shows a node."""
    return until(f"{name} to show a node in the watch", lambda: [
        event for event in watch.of(name)] if any(
            pods.node_of(event[2]) for event in watch.of(name)) else None)


@pytest.mark.core
def test_node_and_cards_of_a_share_appear_in_one_watch_event(cluster, work):
    node = work.add_node()
    with work.watch() as watch:
        created = work.create(pods.share("fifth", core=20, memory=15))
        events = _settled(watch, "fifth")
    first = next(event[2] for event in events if pods.node_of(event[2]))
    assert pods.node_of(first) == node
    annotations = pods.annotations_of(first)
    record = json.loads(annotations[pods.ALLOCATION])
    granted = record["containers"]["main"]["cards"]
    assert record["uid"] == created["metadata"]["uid"] and record["node"] == node
    assert [(card["core"], card["mib"]) for card in granted] == [(20, 15 * 256)]
    assert granted[0]["uuid"] == f"GPU-{node}-{annotations[pods.INDEX_PREFIX + '0']}"
    assert annotations["tencent.com/predicate-node"] == node
    assert int(annotations["tencent.com/predicate-time"]) > 0
    before = [event[2] for event in events if not pods.node_of(event[2])]
    assert all(pods.ALLOCATION not in pods.annotations_of(each) for each in before)
    work.ledger().check()


@pytest.mark.core
def test_scheduling_a_pod_costs_us_one_write_and_no_read(cluster, work):
    work.add_node()
    # The node's arrival must not be mistaken for a read on the scheduling path.
    work.create(pods.share("warm-up"))
    work.wait_bound("warm-up")
    start = audit.position(cluster.plane.audit_log)
    work.create(pods.share("counted"))
    work.wait_bound("counted")
    ours = until("our write in the audit log", lambda: audit.about_pod(audit.by_user(
        audit.entries(cluster.plane.audit_log, start), cluster.allocator.user),
        work.name, "counted"))
    requests = [(each["verb"], each["objectRef"].get("subresource"), each["responseStatus"]["code"])
                for each in ours]
    assert requests == [("create", "binding", 201)]
    # Pods of earlier tests may still be asked about: whether they are really gone.
    reads = [each["requestURI"] for each in audit.by_user(
        audit.entries(cluster.plane.audit_log, start), cluster.allocator.user)
        if each["verb"] in ("get", "list")
        and each["objectRef"].get("namespace") in (None, work.name)]
    assert reads == []


@pytest.mark.core
def test_containers_of_one_pod_get_their_cards_each(work):
    node = work.add_node(cards=4)
    work.create(pods.pod("several", [pods.container("a", core=70, memory=40),
                                     pods.container("plain"),
                                     pods.container("b", core=50, memory=40),
                                     pods.container("c", core=200)],
                         init=[pods.container("prepare", core=90, memory=300)]))
    bound = work.wait_bound("several")
    annotations = pods.annotations_of(bound)
    assert f"{pods.INDEX_PREFIX}1" not in annotations, "a container without a GPU got a card"
    assert len(annotations[f"{pods.INDEX_PREFIX}3"].split(",")) == 2
    ledger = work.ledger()
    ledger.check()
    assert sorted(ledger.used(node), reverse=True)[:2] == [100, 100]


def test_an_unhealthy_or_uninventoried_node_is_not_used(work):
    sick = work.add_node(cards=1, prefix="sick")
    inventory = json.loads(pods.annotations_of(work.api.get(f"/api/v1/nodes/{sick}"))[
        "aliquot.io/gpu-inventory"])
    inventory["cards"][0][7] = "xid79"
    work.api.patch(f"/api/v1/nodes/{sick}", {"metadata": {"annotations": {
        "aliquot.io/gpu-inventory": json.dumps(inventory)}}})
    work.add_node(cards=1, prefix="blank", with_inventory=False)
    work.create(pods.share("waits"))
    sentence = work.wait_refused("waits")
    assert "0/2 nodes are available" in sentence
    good = work.add_node(cards=1, prefix="good")
    assert pods.node_of(work.wait_bound("waits")) == good
