# SPDX-License-Identifier: Apache-2.0
"""Crashes and lost answers: nothing is lost and nothing is counted twice."""
import signal
import time

import pytest

from harness import audit, pods
from harness.proxy import CuttingProxy
from harness.waiting import until


def _shares(count, prefix="pod"):
    return [pods.share(f"{prefix}-{index:03}", core=(25, 50)[index % 2], memory=30)
            for index in range(count)]


def _start_placing(cluster, work, built, until_bound):
    """Lets kube-scheduler loose on all these pods at once; returns when the first are bound."""
    scheduler = cluster.scheduler.process
    with work.watch() as watch:
        scheduler.signal(signal.SIGSTOP)
        try:
            work.create_all(built)
        finally:
            scheduler.signal(signal.SIGCONT)
        until(f"{until_bound} pods to be bound", lambda: sum(
            1 for event in list(watch.events) if pods.node_of(event[2])) >= until_bound, every=0.002)


def _assert_in_the_middle(work):
    bound = [each for each in work.pods()[0] if pods.node_of(each)]
    waiting = len(work.pods()[0]) - len(bound)
    assert bound and waiting, f"{len(bound)} pods were bound and {waiting} were not"


def _fill_exactly(work, prefix):
    """Every free percent can still be had, and not one more: nothing leaks, nothing is doubled."""
    ledger = work.check_complete()
    free = [100 - used for node in ledger.cards for used in ledger.used(node)]
    # Largest first and one by one: each then fits on exactly the cards that it was counted for.
    for index, left in enumerate(sorted((left for left in free if left), reverse=True)):
        work.create(pods.share(f"{prefix}-{index}", core=left, memory=1))
        work.wait_bound(f"{prefix}-{index}")
    work.create(pods.share(f"{prefix}-too-much", core=1, memory=1))
    work.wait_refused(f"{prefix}-too-much")
    work.delete(f"{prefix}-too-much")
    work.ledger().check()


@pytest.mark.core
def test_kill_9_in_the_middle_loses_and_doubles_nothing(cluster, work):
    work.add_nodes(4, cards=8)
    _start_placing(cluster, work, _shares(60), until_bound=5)
    cluster.allocator.process.kill()
    _assert_in_the_middle(work)
    cluster.allocator.start()
    work.wait_bound(*[f"pod-{index:03}" for index in range(60)], timeout=40)
    _fill_exactly(work, "rest")


def test_api_server_away_for_20_seconds_loses_and_doubles_nothing(cluster, work):
    work.add_nodes(4, cards=8)
    _start_placing(cluster, work, _shares(60), until_bound=5)
    cluster.plane.apiserver.kill()
    away = time.monotonic() + 20
    # The allocator lives through it; that it went on running is part of the claim.
    while time.monotonic() < away:
        assert cluster.allocator.process.running()
        time.sleep(0.5)
    cluster.bring_back_apiserver()
    _assert_in_the_middle(work)
    work.wait_bound(*[f"pod-{index:03}" for index in range(60)], timeout=60)
    _fill_exactly(work, "rest")


def test_a_binding_whose_answer_was_lost_neither_doubles_nor_leaks(cluster, work):
    work.add_node(cards=2)
    proxy = CuttingProxy(("127.0.0.1", cluster.plane.port))
    try:
        cluster.allocator.restart(server=f"https://{proxy.address}")
        start = audit.position(cluster.plane.audit_log)
        proxy.lose_answers()
        work.create(pods.share("lost", core=60, memory=15))

        def binding_written():
            found = audit.about_pod(audit.by_user(audit.entries(
                cluster.plane.audit_log, start), cluster.allocator.user), work.name, "lost")
            return [each for each in found if each["objectRef"].get("subresource") == "binding"
                    and each["responseStatus"]["code"] == 201]

        until("the API server to write the Binding", binding_written)
        proxy.cut()
        work.wait_bound("lost")
        work.create(pods.share("next", core=60, memory=15))
        work.wait_bound("next")
        _fill_exactly(work, "rest")
        written = binding_written()
        assert len(written) == 1, f"the API server accepted {len(written)} Bindings of one pod"
        work.delete("lost")
        work.create(pods.share("again", core=60, memory=15))
        work.wait_bound("again")
        work.ledger().check()
    finally:
        proxy.close()
