# SPDX-License-Identifier: Apache-2.0
"""Pods that do not ask for a GPU are none of our business; GPU pods fail closed."""
import pytest

from harness import audit, pods
from harness.api import ApiError
from harness.waiting import until


def _audited(cluster, start, namespace, name, verb):
    """The audit entry of one request about a pod."""
    return until("the request in the audit log", lambda: next(
        (each for each in audit.about_pod(audit.entries(cluster.plane.audit_log, start),
                                          namespace, name) if each["verb"] == verb), None))


def _calls(cluster):
    """Requests that reached the allocator so far: scheduler verbs and mutation."""
    metric = cluster.allocator.metric
    return {verb: metric("aliquot_allocator_requests_total", verb=verb)
            for verb in ("filter", "prioritize", "bind", "mutate")}


@pytest.mark.core
def test_a_plain_pod_is_never_sent_to_us(cluster, work):
    work.add_nodes(2)
    start = audit.position(cluster.plane.audit_log)
    before = _calls(cluster)
    work.create(pods.pod("plain", [pods.container()]))
    bound = work.wait_bound("plain")
    entry = _audited(cluster, start, work.name, "plain", "create")
    assert audit.webhooks_called(entry) == set(), "the mutating webhook saw a plain pod"
    assert _calls(cluster) == before
    assert pods.GPU_LABEL not in (bound["metadata"].get("labels") or {})
    assert "env" not in bound["spec"]["containers"][0]
    # The same measure does see a GPU pod.
    work.create(pods.share("share"))
    work.wait_bound("share")
    assert audit.webhooks_called(_audited(cluster, start, work.name, "share", "create"))
    after = _calls(cluster)
    assert all(after[verb] > before[verb] for verb in after), (before, after)


def test_plain_pods_start_and_gpu_pods_are_refused_while_the_webhook_is_down(cluster, work):
    work.add_node()
    cluster.allocator.process.kill()
    work.create(pods.pod("plain", [pods.container()]))
    work.wait_bound("plain")
    with pytest.raises(ApiError) as refusal:
        work.create(pods.share("share"))
    assert "failed calling webhook" in refusal.value.message
    assert [each["metadata"]["name"] for each in work.pods()[0]] == ["plain"]
