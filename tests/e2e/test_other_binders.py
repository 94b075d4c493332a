# SPDX-License-Identifier: Apache-2.0
"""Pods that somebody else binds: by hand, by a second kube-scheduler, without our webhook."""
import pytest

from harness import audit, chart, pods
from harness.api import ApiError
from harness.scheduler import plain_configuration
from harness.waiting import until

NOBODY = "nobody"  # a scheduler name that no scheduler serves: the pod waits for a hand


@pytest.fixture(scope="session", name="second_scheduler")
def _second_scheduler(cluster):
    """A kube-scheduler of its own name that knows nothing of us."""
    return cluster.start_scheduler("second-scheduler", plain_configuration("second"))


def _assert_bound_in_one_event(watch, name, node):
    """The event that first shows the node shows the cards too."""
    first = until(f"{name} to show a node in the watch", lambda: next(
        (event[2] for event in watch.of(name) if pods.node_of(event[2])), None))
    assert pods.node_of(first) == node
    annotations = pods.annotations_of(first)
    assert pods.ALLOCATION in annotations and f"{pods.INDEX_PREFIX}0" in annotations, annotations


def _wait_until_seen(cluster, work, name):
    """Returns when our watch knows the pod, as it does long before a person binds it."""
    until("the allocator to know the pod", lambda: cluster.allocator.explain(work.name, name))


def _create_once_seen(cluster, work, built):
    """Creates a pod that its scheduler may place only once our watch knows it.

    The stamp is best effort: a scheduler that is faster than our watch gets the late stamp instead.
    """
    name = built["metadata"]["name"]
    built["spec"]["schedulingGates"] = [{"name": "example.org/seen"}]
    work.create(built)
    _wait_until_seen(cluster, work, name)
    work.open_gates(name)


def _crowd(work):
    """A node of two cards on which 80 % are free, but no card has 50 % free."""
    node = work.add_node(cards=2)
    for name in ("crowd-a", "crowd-b"):
        work.create(pods.share(name, core=60, memory=15))
    work.wait_bound("crowd-a", "crowd-b")
    return node


def _without_stamp(cluster):
    """Removes the stamp webhook and returns when the API server has noticed."""
    configuration = cluster.webhook_configuration()
    kept = [each for each in configuration["webhooks"]
            if not each["clientConfig"]["url"].endswith("/admission/stamp")]
    assert 0 < len(kept) < len(configuration["webhooks"])
    cluster.api.patch(chart.path_of(configuration, configuration["metadata"]["name"]),
                      {"webhooks": kept})


def _stamp_is_called(cluster, work, name, node):
    """Whether a dry-run Binding reaches our webhook, by the audit log."""
    answer = work.bind(name, node, dryRun="All")
    entry = until("the dry run in the audit log", lambda: next(
        (each for each in audit.about_pod(audit.entries(cluster.plane.audit_log), work.name, name)
         if each["auditID"] == answer.audit_id), None))
    return any("stamp" in webhook for webhook in audit.webhooks_called(entry))


@pytest.mark.core
def test_a_pod_bound_by_hand_gets_its_cards_in_the_same_event(cluster, work):
    node = work.add_node(cards=1)
    with work.watch() as watch:
        work.create(pods.share("by-hand", core=30, memory=15, scheduler=NOBODY))
        _wait_until_seen(cluster, work, "by-hand")
        work.bind("by-hand", node)
        _assert_bound_in_one_event(watch, "by-hand", node)
    work.ledger().check()
    # It counts like any other: 71 % have no room beside it.
    work.create(pods.share("beside", core=71, memory=15))
    work.wait_refused("beside")


def test_a_pod_bound_by_hand_without_room_is_denied_with_the_reason(cluster, work):
    node = _crowd(work)
    work.create(pods.share("by-hand", core=50, memory=15, scheduler=NOBODY))
    _wait_until_seen(cluster, work, "by-hand")
    with pytest.raises(ApiError) as refusal:
        work.bind("by-hand", node)
    assert "denied the request: " in refusal.value.message
    reason = refusal.value.message.split("denied the request: ")[1]
    assert reason.strip() == "the pod fits in sum, not on one card", reason
    assert not pods.node_of(work.pod("by-hand"))
    work.ledger().check()


def test_the_legacy_bindings_resource_is_stamped_too(cluster, work):
    node = work.add_node(cards=1)
    work.create(pods.share("legacy", scheduler=NOBODY))
    _wait_until_seen(cluster, work, "legacy")
    work.api.post(f"/api/v1/namespaces/{work.name}/bindings", {
        "apiVersion": "v1", "kind": "Binding", "metadata": {"name": "legacy"},
        "target": {"kind": "Node", "name": node}})
    assert pods.ALLOCATION in pods.annotations_of(work.pod("legacy"))
    work.ledger().check()


@pytest.mark.core
def test_a_second_scheduler_places_with_cards_in_the_same_event(cluster, second_scheduler, work):
    node = work.add_node(cards=2)
    with work.watch() as watch:
        for built in (pods.share("second", core=30, memory=15, scheduler="second"),
                      pods.whole("second-whole", scheduler="second")):
            _create_once_seen(cluster, work, built)
        for name in ("second", "second-whole"):
            _assert_bound_in_one_event(watch, name, node)
    work.ledger().check()
    assert second_scheduler.attempts().get("scheduled", 0) >= 2


def test_a_second_scheduler_is_denied_when_no_card_has_room(cluster, second_scheduler, work):
    _crowd(work)
    _create_once_seen(cluster, work, pods.share("second", core=50, memory=15, scheduler="second"))
    sentence = work.wait_refused("second")
    assert ("denied the request: the pod fits in sum, not on one card"
            in sentence), sentence
    assert second_scheduler.attempts().get("error", 0) >= 1
    # Once there is room, the same scheduler's next try succeeds.
    work.delete("crowd-a")
    work.wait_bound("second", timeout=30)
    work.ledger().check()


def test_without_the_webhook_the_late_stamp_gives_the_cards(cluster, work):
    node = work.add_node(cards=1)
    work.create(pods.share("late", core=30, memory=15, scheduler=NOBODY))
    try:
        _without_stamp(cluster)
        until("the API server to forget the webhook",
              lambda: not _stamp_is_called(cluster, work, "late", node))
        work.bind("late", node)
        until("the late stamp", lambda: pods.ALLOCATION in pods.annotations_of(work.pod("late")))
        work.ledger().check()
        assert f"{pods.INDEX_PREFIX}0" in pods.annotations_of(work.pod("late"))
        # No room: nothing is invented, the pod is told, and the node takes nothing new for it.
        work.create(pods.share("no-room", core=80, memory=15, scheduler=NOBODY))
        work.bind("no-room", node)
        told = until("a condition that says there is no room", lambda: next(
            (each for each in (work.pod("no-room")["status"].get("conditions") or [])
             if each["type"].startswith("aliquot.io/")), None))
        assert told["status"] == "False" and told.get("message"), told
        until("an event that says there is no room", lambda: [
            each for each in work.events("no-room") if each["type"] == "Warning"
            and "aliquot" in (each.get("reportingComponent") or "")])
        assert pods.ALLOCATION not in pods.annotations_of(work.pod("no-room"))
        work.delete("late")
        until("the cards to be given once there is room",
              lambda: pods.ALLOCATION in pods.annotations_of(work.pod("no-room")))
        work.ledger().check()
    finally:
        chart.apply(cluster.api, [cluster.webhook_configuration()])
        work.create(pods.share("canary", scheduler=NOBODY))
        until("the API server to know the webhook again",
              lambda: _stamp_is_called(cluster, work, "canary", node))


def test_with_the_allocator_down_other_pods_are_bound(cluster, second_scheduler, work):
    assert second_scheduler.process.running()
    work.add_node(cards=1)
    cluster.allocator.process.kill()
    work.create(pods.pod("plain", [pods.container()]))
    work.create(pods.pod("plain-second", [pods.container()], scheduler="second"))
    work.wait_bound("plain", "plain-second")
