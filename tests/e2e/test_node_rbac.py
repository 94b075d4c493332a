# SPDX-License-Identifier: Apache-2.0
"""A node agent's service account may do what it needs, and nothing else: by all that it asked of the API server."""
import pytest

from harness import audit, chart, pods, runtime
from harness.expectations import wait_refused_start, wait_started

# Not in this story. To ask who its caller is and whether he may: made when its pages are read, as in
# test_node_enforcement_verify.py. To read its Node: made when it does not know how a write of it ended.
ELSEWHERE = {("get", "", "nodes"), ("create", "authentication.k8s.io", "tokenreviews"),
             ("create", "authorization.k8s.io", "subjectaccessreviews")}
SIGNATURE = "aliquot.io/allocation-signature"


@pytest.fixture(name="work")
def _work(real_nodes, node_work):
    return node_work(real_nodes.get("refuses", runtime.NEW, "t4x4"))


def _granted(cluster):
    (role,) = [each for each in chart.of_kind(cluster.objects, "ClusterRole") if each["metadata"]["name"] == "aliquot-agent"]
    return {(verb, group, resource) for rule in role["rules"] for verb in rule["verbs"]
            for group in rule["apiGroups"] for resource in rule["resources"]}


def _requests(work):
    """All that the agents of this run asked for. Tests that act as one have a name of their own."""
    found = audit.by_user(audit.entries(work.cluster.plane.audit_log), work.node.agent.user)
    return [each for each in found if each.get("userAgent") != "aliquot-e2e"]


def _what(entry):
    target = entry.get("objectRef") or {}
    resource = "/".join(filter(None, (target.get("resource"), target.get("subresource"))))
    return entry["verb"], target.get("apiGroup", ""), resource


def test_an_agent_uses_every_right_that_the_chart_grants_and_is_denied_nothing(work):
    work.create(pods.share("first"))
    wait_started(work, "first")
    # One refusal, so that there is an event to tell.
    original = pods.annotations_of(work.create_held(pods.share("robbed")))
    work.damage("robbed", annotations={pods.ALLOCATION: None, SIGNATURE: None})
    work.let_go("robbed")
    wait_refused_start(work, "robbed", "no_allocation")
    work.damage("robbed", annotations={key: original[key] for key in (pods.ALLOCATION, SIGNATURE)})
    wait_started(work, "robbed")
    work.node.agent.restart()
    found = _requests(work)
    denied = {_what(each) for each in found if (each.get("responseStatus") or {}).get("code") == 403}
    assert not denied, denied
    used = {_what(each) for each in found}
    assert used <= _granted(work.cluster), used - _granted(work.cluster)
    assert _granted(work.cluster) - used <= ELSEWHERE, _granted(work.cluster) - used - ELSEWHERE
