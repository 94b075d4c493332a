# SPDX-License-Identifier: Apache-2.0
"""Preemption by the real kube-scheduler: enough pods go, on the right card, or nobody does."""
import pytest

from harness import pods
from harness.api import ApiError
from harness.waiting import throughout, until

LOW, MIDDLE, HIGH = "test-low", "test-middle", "test-high"
_VALUES = {LOW: 100, MIDDLE: 500, HIGH: 1000}


@pytest.fixture(autouse=True)
def _priorities(cluster):
    """The priority classes, once a cluster."""
    for name, value in _VALUES.items():
        try:
            cluster.api.post("/apis/scheduling.k8s.io/v1/priorityclasses", {
                "apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass",
                "metadata": {"name": name}, "value": value})
        except ApiError as error:
            if error.code != 409:
                raise


def _share(name, core, priority, labels=None, grace=0):
    """A share whose memory never decides. With grace 0 an evicted pod is gone at once, as there is
    no kubelet to end it."""
    built = pods.share(name, core=core, memory=15, priorityClassName=priority)
    built["spec"]["terminationGracePeriodSeconds"] = grace
    if labels:
        built["metadata"]["labels"] = labels
    return built


def _place(work, *built):
    """Creates pods one after the other, each bound before the next: so each test knows its cards."""
    for each in built:
        work.create(each)
        work.wait_bound(each["metadata"]["name"])


def _card_of(work, name):
    return pods.annotations_of(work.pod(name))[f"{pods.INDEX_PREFIX}0"]


def _left(work):
    """The names of the pods that are there and not being deleted."""
    return {each["metadata"]["name"] for each in work.pods()[0]
            if "deletionTimestamp" not in each["metadata"]}


def _nominated(work, name):
    return (work.pod(name).get("status") or {}).get("nominatedNodeName", "")


def _wait_nominated(work, name, node):
    def nominated():
        assert _nominated(work, name) == node, f"nominated to '{_nominated(work, name)}'"
        return True
    until(f"{name} to be nominated to {node}", nominated, timeout=20)


@pytest.mark.core
def test_a_60_percent_pod_evicts_just_enough_on_the_right_card(work):
    # Two full cards: 60 + 40 and 50 + 50. By sums any two pods make room for 60, on cards the 60
    # alone does. In this order no policy has a choice.
    work.add_node(cards=2)
    _place(work, _share("sixty", 60, LOW), _share("fifty-a", 50, LOW),
           _share("fifty-b", 50, LOW), _share("forty", 40, LOW))
    card = _card_of(work, "sixty")
    assert card == _card_of(work, "forty") != _card_of(work, "fifty-a")
    work.create(_share("high", 60, HIGH))
    work.wait_bound("high")
    assert _left(work) == {"high", "forty", "fifty-a", "fifty-b"}
    assert _card_of(work, "high") == card
    work.ledger().check()


def test_of_equal_numbers_the_lowest_priorities_go(work):
    # On either card one pod would do; the more important one stays.
    work.add_node(cards=2)
    _place(work, _share("middle", 90, MIDDLE), _share("low", 90, LOW))
    work.create(_share("high", 60, HIGH))
    work.wait_bound("high")
    assert _left(work) == {"high", "middle"}


@pytest.mark.core
def test_a_hopeless_pod_evicts_nobody(cluster, work):
    # Each card keeps 55 % of a pod as important as the new one. The sums say that evicting the two
    # others helps; no card ever has 60 free. In this order no policy has a choice.
    work.add_node(cards=2)
    _place(work, _share("kept-a", 55, HIGH), _share("kept-b", 55, HIGH),
           _share("low-a", 45, LOW), _share("low-b", 45, LOW))
    assert _card_of(work, "kept-a") != _card_of(work, "kept-b")
    before = cluster.allocator.metric("aliquot_allocator_requests_total", verb="preempt",
                                      outcome="refused")
    work.create(_share("high", 60, HIGH))
    work.wait_refused("high")
    until("kube-scheduler to ask whom to evict", lambda: cluster.allocator.metric(
        "aliquot_allocator_requests_total", verb="preempt", outcome="refused") > before)
    throughout("nobody is evicted",
               lambda: _left(work) == {"high", "kept-a", "kept-b", "low-a", "low-b"}, seconds=5)
    assert not pods.node_of(work.pod("high")) and not _nominated(work, "high")


def test_known_limit_where_the_sum_suffices_nobody_is_evicted(cluster, work):
    # 45 % free on each of two cards: 90 in sum, 60 on neither. kube-scheduler sees no shortage, so
    # it evicts nobody, and event and explain say why.
    work.add_node(cards=2)
    _place(work, _share("low-a", 55, LOW), _share("low-b", 55, LOW))
    work.create(_share("high", 60, HIGH))
    sentence = work.wait_refused("high")
    assert "the pod fits in sum, not on one card" in sentence, sentence
    event = until("the event", lambda: next(
        (each for each in work.events("high") if each["reason"] == "FailedScheduling"), None))
    assert "the pod fits in sum, not on one card" in event["message"]
    ours = until("our own event", lambda: next(
        (each for each in work.events("high") if each["reason"] == "FitsInSumOnly"), None))
    assert "evicts nobody" in ours["message"]
    told = cluster.allocator.explain(work.name, "high")
    assert [node["reason"] for node in told["nodes"] if node["name"].startswith(work.name)] == [
        "not_on_one_card"]
    throughout("nobody is evicted", lambda: _left(work) == {"high", "low-a", "low-b"}, seconds=5)


@pytest.mark.core
def test_a_disruption_budget_decides_between_equals(cluster, work):
    # Two equal pods, one of them under a budget that allows nothing; it is the older one on the
    # first card, so that without the budget nothing speaks for it.
    work.add_node(cards=2)
    work.api.post(f"/apis/policy/v1/namespaces/{work.name}/poddisruptionbudgets", {
        "apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": "guard"},
        "spec": {"minAvailable": 1, "selector": {"matchLabels": {"app": "guarded"}}}})
    _place(work, _share("guarded", 90, LOW, labels={"app": "guarded"}),
           _share("open", 90, LOW, labels={"app": "open"}))
    assert cluster.allocator.metric("aliquot_allocator_watch_lag_seconds",
                                    resource="poddisruptionbudgets") > 0
    work.create(_share("high", 60, HIGH))
    work.wait_bound("high")
    assert _left(work) == {"high", "guarded"}


@pytest.mark.core
def test_the_freed_room_is_not_taken_by_a_lower_priority(work):
    # One card: two low ones of 50. The others: 60 and 61 of pods as important as "high", so 40 and
    # 39 free, 79 in sum: for 80 kube-scheduler evicts one low pod, while the card needs both gone.
    node = work.add_node(cards=3)
    # In this order no policy has a choice.
    _place(work, _share("wall-a", 60, HIGH), _share("wall-b", 61, HIGH),
           _share("one", 50, LOW, grace=30), _share("two", 50, LOW, grace=30))
    assert _card_of(work, "one") == _card_of(work, "two")
    assert len({_card_of(work, name) for name in ("one", "wall-a", "wall-b")}) == 3
    work.create(_share("high", 80, HIGH))
    _wait_nominated(work, "high", node)
    until("both to be evicted", lambda: _left(work) == {"high", "wall-a", "wall-b"})
    # One is gone, the other still ends: 50 % of their card are free. By kube-scheduler's sums 49 are
    # left beside the nominated pod; by cards those 45 would take what "high" waits for.
    work.create(_share("thief", 45, LOW))
    work.delete("one")
    until("the thief to be told", lambda: "the room is kept for a pod of higher priority"
          in work.wait_refused("thief"))
    throughout("the thief stays out", lambda: not pods.node_of(work.pod("thief")), seconds=3)
    work.delete("two")
    work.wait_bound("high")
    assert not pods.node_of(work.pod("thief"))
    work.ledger().check()


def test_whole_cards_come_free_for_a_pod_that_needs_them(work):
    # Three cards: 90 + 10, 100 and 50 + 50. For one whole card one pod goes, not two. In this order
    # no policy has a choice.
    work.add_node(cards=3)
    full = pods.whole("full", priorityClassName=LOW, terminationGracePeriodSeconds=0)
    _place(work, full, _share("ninety", 90, LOW), _share("fifty-a", 50, LOW),
           _share("fifty-b", 50, LOW), _share("ten", 10, LOW))
    work.create(pods.whole("high", priorityClassName=HIGH))
    work.wait_bound("high")
    assert _left(work) == {"high", "ninety", "ten", "fifty-a", "fifty-b"}
