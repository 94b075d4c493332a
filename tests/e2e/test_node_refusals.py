# SPDX-License-Identifier: Apache-2.0
"""A record that is missing, forged or of another pod gives nothing, and says so in one sentence.

The pod is held between its admission and its container: there somebody with the allocator's
rights changes the record. Everyone else is refused by the API server already (test_refusals.py).
"""
import json

import pytest

from harness import pods, runtime
from harness.waiting import until

SIGNATURE = "aliquot.io/allocation-signature"


@pytest.fixture
def work(real_nodes, node_work):
    """A namespace on a node of four T4."""
    return node_work(real_nodes.get("refuses", runtime.NEW, "t4x4"))


def rewrite(work, name, record, signature):
    """Replaces a pod's record as the allocator's own user; None removes it."""
    work.node.cluster.allocator.client().patch(
        f"/api/v1/namespaces/{work.name}/pods/{name}",
        {"metadata": {"annotations": {pods.ALLOCATION: record, SIGNATURE: signature}}})


def check_refused_then_started(work, name, reason, original):
    """The container waits with a sentence, an event says it too, and then it starts by itself."""
    message = work.wait_waiting(name, "CreateContainerConfigError")
    assert f"{reason}: container main of pod {work.name}/{name}" in message, message
    sentence = message.split(f"{reason}: ", 1)[1]
    until("the event", lambda: any(
        each["reason"] == "GpuGrantRefused" and sentence[:100] in each["message"]
        for each in work.events(name)))
    assert work.starts(name) == 0, "it was started after all"
    assert work.node.agent.metric("aliquot_agent_refusals_total", reason=reason) >= 1
    rewrite(work, name, pods.annotations_of(original)[pods.ALLOCATION],
            pods.annotations_of(original)[SIGNATURE])
    work.nudge(name)
    work.wait_running(name)
    assert work.report(name).cards() == work.granted(name)["main"]


def test_without_its_record_a_container_does_not_start(work):
    original = work.create_held(pods.share("robbed"))
    rewrite(work, "robbed", None, None)
    work.let_go("robbed")
    check_refused_then_started(work, "robbed", "no_allocation", original)


def test_a_record_that_names_a_free_card_without_our_signature_is_refused(work):
    original = work.create_held(pods.share("forger"))
    record = json.loads(pods.annotations_of(original)[pods.ALLOCATION])
    mine = record["containers"]["main"]["cards"][0]["uuid"]
    other = next(uuid for uuid in work.node.agent.minors() if uuid != mine)
    record["containers"]["main"]["cards"][0]["uuid"] = other
    rewrite(work, "forger", json.dumps(record, separators=(",", ":")),
            pods.annotations_of(original)[SIGNATURE])
    work.let_go("forger")
    check_refused_then_started(work, "forger", "bad_signature", original)


def test_a_record_without_any_signature_is_refused(work):
    # As right after an installation, where the node's public key may still be on its way: also a pod
    # that is never restarted waits, and does not fail.
    original = work.create_held(pods.share("unsigned", restartPolicy="Never"))
    rewrite(work, "unsigned", pods.annotations_of(original)[pods.ALLOCATION], None)
    work.let_go("unsigned")
    check_refused_then_started(work, "unsigned", "bad_signature", original)


def test_the_signed_record_of_a_neighbour_is_refused(work):
    work.create(pods.share("neighbour"))
    theirs = pods.annotations_of(work.wait_running("neighbour"))
    original = work.create_held(pods.share("thief"))
    rewrite(work, "thief", theirs[pods.ALLOCATION], theirs[SIGNATURE])
    work.let_go("thief")
    check_refused_then_started(work, "thief", "wrong_pod", original)


def test_the_record_of_an_earlier_pod_of_the_same_name_is_refused(work):
    work.create(pods.share("phoenix"))
    earlier = pods.annotations_of(work.wait_running("phoenix"))
    work.delete("phoenix", grace=1)
    until("the first to be gone", lambda: not work.pods()[0], timeout=30)
    original = work.create_held(pods.share("phoenix"))
    rewrite(work, "phoenix", earlier[pods.ALLOCATION], earlier[SIGNATURE])
    work.let_go("phoenix")
    check_refused_then_started(work, "phoenix", "wrong_pod", original)
