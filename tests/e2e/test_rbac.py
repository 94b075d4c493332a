# SPDX-License-Identifier: Apache-2.0
"""The allocator's service account may do what it needs, and nothing else."""
import pytest

from harness import audit, chart, pods
from harness.waiting import until

# What the allocator has no business with, as (verb, group, resource, subresource).
FORBIDDEN = [
    ("get", "", "secrets", ""), ("list", "", "secrets", ""), ("create", "", "pods", ""),
    ("delete", "", "pods", ""), ("create", "", "pods", "exec"), ("update", "", "nodes", ""),
    ("delete", "", "nodes", ""), ("create", "", "bindings", ""), ("list", "", "configmaps", ""),
    ("create", "", "serviceaccounts", "token"), ("impersonate", "", "users", ""),
    ("patch", "admissionregistration.k8s.io", "mutatingwebhookconfigurations", ""),
    ("create", "rbac.authorization.k8s.io", "clusterrolebindings", ""),
]


def _allowed(cluster, verb, group, resource, subresource):
    review = cluster.api.post("/apis/authorization.k8s.io/v1/subjectaccessreviews", {
        "apiVersion": "authorization.k8s.io/v1", "kind": "SubjectAccessReview",
        "spec": {"user": cluster.allocator.user, "groups": [
            "system:serviceaccounts", "system:authenticated",
            f"system:serviceaccounts:{chart.NAMESPACE}"],
            "resourceAttributes": {"verb": verb, "group": group, "resource": resource,
                                   "subresource": subresource, "namespace": "default"}}})
    return review["status"]["allowed"]


def _granted(cluster):
    """The allocator's rights by the chart, as a set of (verb, group, resource/subresource)."""
    granted = set()
    for kind in ("ClusterRole", "Role"):
        for role in chart.of_kind(cluster.objects, kind):
            if role["metadata"]["name"] != "aliquot-allocator":
                continue
            for rule in role["rules"]:
                assert "*" not in str(rule), f"{role['metadata']['name']} grants a wildcard: {rule}"
                granted |= {(verb, group, resource) for verb in rule["verbs"]
                            for group in rule.get("apiGroups", [])
                            for resource in rule["resources"]}
    return granted


def _requests(cluster):
    """All that the allocator asked of the API server since the cluster started."""
    found = audit.by_user(audit.entries(cluster.plane.audit_log), cluster.allocator.user)
    # Tests that damage records act as the same user.
    return [each for each in found if each.get("userAgent") != "aliquot-e2e"]


def _what(entry):
    """A request as (verb, group, resource, subresource)."""
    target = entry.get("objectRef") or {}
    return (entry["verb"], target.get("apiGroup", ""), target.get("resource", ""),
            target.get("subresource", ""))


def _used(cluster):
    """What the allocator asked for so far, in the form of _granted."""
    return {(verb, group, f"{resource}/{subresource}" if subresource else resource)
            for verb, group, resource, subresource in map(_what, _requests(cluster))}


@pytest.mark.parametrize("case", FORBIDDEN, ids=lambda case: "-".join(filter(None, case)))
def test_the_service_account_may_not(cluster, case):
    assert not _allowed(cluster, *case)


def test_nothing_is_granted_that_is_not_used_and_nothing_was_denied(cluster, work):
    node = work.add_node(cards=1)
    configuration = cluster.webhook_configuration()
    # A caller of its pages whom the API server knows and does not let read them.
    status, text = cluster.allocator.page("/explain", (cluster.allocator.folder / "token").read_text())
    assert status == 403 and "aliquot-allocator-reader" in text, text
    assert cluster.allocator.page("/explain")[0] == 401
    # One ordinary bind, one late stamp, one late stamp without room, one label given back.
    work.create(pods.share("ordinary", core=30, memory=15))
    work.wait_bound("ordinary")
    for name, core in (("late", 30), ("no-room", 80)):
        work.create(pods.share(name, core=core, memory=15, scheduler="nobody"))
    cluster.api.delete(chart.path_of(configuration, configuration["metadata"]["name"]))
    start = audit.position(cluster.plane.audit_log)
    work.create(pods.pod("canary", [pods.container()], scheduler="nobody"))

    def forgotten():
        answer = work.bind("canary", node, dryRun="All")
        entry = until("the dry run in the audit log", lambda: next(
            (each for each in audit.entries(cluster.plane.audit_log, start)
             if each["auditID"] == answer.audit_id), None))
        return not audit.webhooks_called(entry)
    until("the API server to forget the webhook", forgotten)
    for name in ("late", "no-room"):
        work.bind(name, node)
    until("the late stamp", lambda: pods.ALLOCATION in pods.annotations_of(work.pod("late")))
    until("the event about no room", lambda: [
        each for each in work.events("no-room") if each["type"] == "Warning"])
    work.damage("ordinary", labels={pods.GPU_LABEL: None})
    until("the label to come back", lambda: (
        work.pod("ordinary")["metadata"].get("labels") or {}).get(pods.GPU_LABEL) == "true")

    # A starting API server denies everything until it has read its roles; what it allows by now was
    # no wrong of ours.
    denied = [each for each in _requests(cluster)
              if (each.get("responseStatus") or {}).get("code") == 403
              and not _allowed(cluster, *_what(each))]
    assert not denied, f"the allocator tried what it may not: {[_what(each) for each in denied]}"
    unused = _granted(cluster) - _used(cluster)
    assert not unused, f"the chart grants what the allocator never used: {sorted(unused)}"
