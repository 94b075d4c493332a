# SPDX-License-Identifier: Apache-2.0
"""Labels and records of running pods that are lost or damaged change nothing for anybody else.

Only the allocator's own user can do that (test_guards.py), so it does here; a restored etcd, or a time without
the policies, can bring such pods as well.
"""
import json

import pytest

from harness import nodes, pods
from harness.waiting import until


def test_a_label_taken_off_frees_nothing_and_comes_back(work):
    work.add_node(cards=1)
    work.create(pods.share("labelled", core=60, memory=15))
    work.wait_bound("labelled")
    pods.report_phase(work.api, work.name, "labelled", "Running")
    work.damage("labelled", labels={pods.GPU_LABEL: None})
    until("the label to come back", lambda: (
        work.pod("labelled")["metadata"].get("labels") or {}).get(pods.GPU_LABEL) == "true")
    work.create(pods.share("intruder", core=60, memory=15))
    work.wait_refused("intruder")
    assert not pods.node_of(work.pod("intruder"))
    work.delete("labelled")
    work.wait_bound("intruder")
    work.ledger().check()


def _card_of(pod):
    """The UUID of the one card of a pod's container."""
    record = json.loads(pods.annotations_of(pod)[pods.ALLOCATION])
    return record["containers"]["main"]["cards"][0]["uuid"]


@pytest.mark.parametrize("damage", ["unreadable", "claims-everything", "future-version"])
def test_a_damaged_record_blocks_no_card_but_its_own(cluster, work, damage):
    node = work.add_node(cards=3)
    work.create(pods.share("vandal", core=60, memory=15))
    bound = work.wait_bound("vandal")
    record = json.loads(pods.annotations_of(bound)[pods.ALLOCATION])
    own = _card_of(bound)
    value = "{"
    if damage == "claims-everything":
        record["containers"]["main"]["cards"] = [
            {"uuid": card[0], "core": 100, "mib": nodes.CARD_MIB} for card in nodes.cards(node, 3)]
        value = json.dumps(record)
    elif damage == "future-version":
        value = json.dumps({**record, "v": 99})
    work.damage("vandal", annotations={pods.ALLOCATION: value})
    cluster.allocator.restart()  # a rebuild must live with what the annotations now say
    for name in ("whole-a", "whole-b"):
        work.create(pods.whole(name))
    assert own not in [_card_of(each) for each in work.wait_bound("whole-a", "whole-b")]
    work.create(pods.share("beside", core=40, memory=15))
    assert _card_of(work.wait_bound("beside")) == own
    work.create(pods.share("too-much", core=1, memory=1))
    work.wait_refused("too-much")


def test_an_edited_record_changes_nothing_while_the_allocator_runs(work):
    node = work.add_node(cards=1)
    work.create(pods.share("vandal", core=60, memory=15))
    record = json.loads(pods.annotations_of(work.wait_bound("vandal"))[pods.ALLOCATION])
    record["containers"]["main"]["cards"][0].update(core=1, mib=1)
    work.damage("vandal", annotations={pods.ALLOCATION: json.dumps(record)})
    work.create(pods.share("greedy", core=50, memory=15))
    work.wait_refused("greedy")
    work.create(pods.share("modest", core=40, memory=15))
    assert pods.node_of(work.wait_bound("modest")) == node


def test_a_record_damaged_beyond_repair_counts_what_the_pod_asked_for_on_every_card(cluster, work):
    work.add_node(cards=2)
    work.create(pods.share("vandal", core=60, memory=15))
    work.wait_bound("vandal")
    work.damage("vandal", annotations={
        pods.ALLOCATION: "{", f"{pods.INDEX_PREFIX}0": "none"})
    cluster.allocator.restart()
    # Never free, and no more than it asked for: 40 % of either card can still be had, no whole one.
    for name in ("left", "right"):
        work.create(pods.share(name, core=40, memory=15))
        work.wait_bound(name)
    work.create(pods.share("too-much", core=1, memory=1))
    work.wait_refused("too-much")
