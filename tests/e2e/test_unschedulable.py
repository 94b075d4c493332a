# SPDX-License-Identifier: Apache-2.0
"""A pod that fits nowhere: one short sentence in its event, numbers in /explain, no hot loop."""
import time

import pytest

from harness import nodes, pods
from harness.waiting import until


def _full(work):
    """Three nodes whose cards are each 60 % taken, and one node that has no inventory."""
    names = work.add_nodes(3, cards=2)
    work.create_all([pods.share(f"taken-{index}", core=60, memory=15) for index in range(6)])
    work.wait_bound(*[f"taken-{index}" for index in range(6)])
    work.add_node(cards=2, prefix="blank", with_inventory=False)
    return names


@pytest.mark.core
def test_the_event_says_why_in_one_short_sentence_with_counts(work):
    _full(work)
    work.create(pods.share("waits", core=50, memory=15))
    sentence = work.wait_refused("waits")
    reasons = sentence.removeprefix("0/4 nodes are available: ").split(". ")[0]
    assert reasons == ("1 no aliquot-agent has published the node's GPUs, "
                       "3 the pod fits in sum, not on one card"), sentence
    assert len(sentence) < 300, sentence
    event = until("the event", lambda: next(
        (each for each in work.events("waits") if each["reason"] == "FailedScheduling"), None))
    assert event["message"] == sentence


def test_explain_gives_the_numbers_of_each_node(cluster, work):
    names = _full(work)
    work.create(pods.share("waits", core=50, memory=15))
    sentence = work.wait_refused("waits")
    told = cluster.allocator.explain(work.name, "waits")
    by_name = {node["name"]: node for node in told["nodes"]}
    for name in names:
        node = by_name[name]
        assert not node["fits"] and node["reason"] == "not_on_one_card"
        assert node["sentence"] in sentence, "kubectl and /explain give different reasons"
        assert (node["cards"], node["largest_core_free"]) == (2, 40)
        assert node["largest_mib_free"] == nodes.CARD_MIB - 15 * 256
    assert by_name[f"{work.name}-blank-0"]["reason"] == "no_inventory"
    assert told["nodes_fitting"] == 0 and told["best_node"] is None
    assert [(each["core"], each["mib"]) for each in told["asked"]] == [(50, 15 * 256)]


def test_a_pod_that_cannot_fit_is_filtered_at_most_three_times_in_30_seconds(cluster, work):
    _full(work)
    before = cluster.allocator.metric("aliquot_allocator_requests_total", verb="filter")
    attempts = cluster.scheduler.attempts().get("unschedulable", 0)
    work.create(pods.share("waits", core=50, memory=15))
    sentence = work.wait_refused("waits")
    time.sleep(30)  # the claim is about thirty quiet seconds
    assert cluster.allocator.metric("aliquot_allocator_requests_total", verb="filter") - before <= 3
    assert cluster.scheduler.attempts()["unschedulable"] - attempts <= 3
    assert work.wait_refused("waits") == sentence, "the sentence is not stable"
