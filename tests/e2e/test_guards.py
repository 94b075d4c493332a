# SPDX-License-Identifier: Apache-2.0
"""Who may write the record of a pod's cards: every other way to it that the API has ends in a sentence.

The strongest user who is named nowhere tries them: a member of system:masters. That nodes verify records as well is
shown by test_node_forging.py and test_node_refusals.py; an agent's token on another node by test_agent_policy.py.
"""
import copy
import json

import pytest

from harness import chart, pods
from harness.api import JSON_PATCH, STRATEGIC_PATCH, ApiError
from harness.waiting import until

pytestmark = pytest.mark.core

NOBODY = "nobody"  # a scheduler name that no scheduler serves
SIGNATURE = "aliquot.io/allocation-signature"
APPLY_PATCH = "application/apply-patch+yaml"
# Every annotation that only we write, with a value that somebody may like to have there.
KEYS = {pods.ALLOCATION: '{"v":1}', SIGNATURE: "0123456789abcdef:AAAA", "aliquot.io/requeued": "1",
        f"{pods.INDEX_PREFIX}0": "7", f"{pods.INDEX_PREFIX}9": "7",
        "tencent.com/predicate-node": "elsewhere", "tencent.com/predicate-time": "1",
        "tencent.com/gpu-assigned": "true"}
SENTENCE = "may neither set, change nor remove them"
LABEL_SENTENCE = "label aliquot.io/gpu of a GPU pod is"


@pytest.fixture(name="operator")
def _operator(cluster):
    """A cluster administrator whom the chart's values do not name."""
    cluster.plane.add_user("operator", "operator", "system:masters")
    return cluster.plane.client("operator")


@pytest.fixture(name="tenant")
def _tenant(cluster, work):
    """Who may do in the test's namespace what the built-in role `admin` lets him."""
    user = f"tenant-of-{work.name}"
    cluster.plane.add_user(user, user)
    cluster.api.post(f"/apis/rbac.authorization.k8s.io/v1/namespaces/{work.name}/rolebindings", {
        "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "RoleBinding",
        "metadata": {"name": "tenant"},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "admin"},
        "subjects": [{"kind": "User", "name": user, "apiGroup": "rbac.authorization.k8s.io"}]})
    client = cluster.plane.client(user)
    until("the tenant's role to count", lambda: client.reachable(_path(work)))
    return client


@pytest.fixture(autouse=True)
def _in_force(operator, work):
    """Policies take effect a moment after they were made."""
    work.create(pods.share("probe", scheduler=NOBODY))
    until("the policies to be in force", lambda: all(
        _is_forbidden(lambda forged=forged: forged(dryRun="All")) for forged in (
            lambda **query: operator.patch(_path(work, "probe"), _annotated(KEYS), **query),
            lambda **query: operator.post(_path(work, "probe/binding"),
                                          _binding("probe", "n", annotations=KEYS), **query))))
    work.delete("probe")


def _is_forbidden(call):
    try:
        call()
    except ApiError as error:
        return error.code == 403
    return False


def _path(work, rest=""):
    return f"/api/v1/namespaces/{work.name}/pods" + (f"/{rest}" if rest else "")


def _annotated(annotations):
    return {"metadata": {"annotations": annotations}}


def _binding(name, node, **metadata):
    return {"apiVersion": "v1", "kind": "Binding", "metadata": {"name": name, **metadata},
            "target": {"kind": "Node", "name": node}}


def _refusal(call):
    """The sentence with which a policy of ours refuses a call."""
    with pytest.raises(ApiError) as caught:
        call()
    assert caught.value.code == 403 and "ValidatingAdmissionPolicy 'aliquot-" in caught.value.message, \
        caught.value
    return caught.value.message


def _ours(built):
    """What a pod has of ours: its annotations among KEYS, and the label."""
    return {**{key: value for key, value in pods.annotations_of(built).items() if key in KEYS},
            "label": (built["metadata"].get("labels") or {}).get(pods.GPU_LABEL)}


def _bound(work, name="victim"):
    work.add_node(cards=2)
    work.create(pods.share(name))
    return work.wait_bound(name)


# ---- on update ----

def _json_patch(changes):
    found = []
    for field, entries in changes.items():
        for key, value in entries.items():
            at = f"/metadata/{field}/" + key.replace("~", "~0").replace("/", "~1")
            found.append({"op": "remove", "path": at} if value is None else
                         {"op": "add", "path": at, "value": value})
    return found


def _replaced(current, changes):
    """The whole object with the changes in it."""
    built = copy.deepcopy(dict(current))
    for field, entries in changes.items():
        kept = built["metadata"].setdefault(field, {})
        for key, value in entries.items():
            kept.pop(key, None)
            if value is not None:
                kept[key] = value
    return built


def _applied(current, changes):
    return {"apiVersion": "v1", "kind": "Pod",
            "metadata": {"name": current["metadata"]["name"], **changes}}


# How a request changes a pod: (client, path, the pod now, changes of its metadata).
WAYS = {
    "merge patch": lambda api, path, _, changes: api.patch(path, {"metadata": changes}),
    "strategic patch": lambda api, path, _, changes: api.patch(
        path, {"metadata": changes}, content_type=STRATEGIC_PATCH),
    "JSON patch": lambda api, path, _, changes: api.patch(
        path, _json_patch(changes), content_type=JSON_PATCH),
    "apply": lambda api, path, current, changes: api.patch(
        path, _applied(current, changes), content_type=APPLY_PATCH, fieldManager="forger",
        force="true"),
    "replace": lambda api, path, current, changes: api.put(path, _replaced(current, changes)),
}

# Changes of a bound pod, and a part of the refusal.
CHANGES = {f"set {key}": ({"annotations": {key: value}}, SENTENCE) for key, value in KEYS.items()}
CHANGES |= {f"remove {key}": ({"annotations": {key: None}}, SENTENCE)
            for key in (pods.ALLOCATION, SIGNATURE, f"{pods.INDEX_PREFIX}0",
                        "tencent.com/predicate-node", "tencent.com/predicate-time")}
CHANGES |= {"rename the label": ({"labels": {pods.GPU_LABEL: "false"}}, LABEL_SENTENCE),
            "empty the label": ({"labels": {pods.GPU_LABEL: ""}}, LABEL_SENTENCE),
            "remove the label": ({"labels": {pods.GPU_LABEL: None}}, LABEL_SENTENCE)}


def _is_removal(changes):
    return any(value is None for entries in changes.values() for value in entries.values())


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("resource", ["pods", "pods/status"])
def test_no_update_touches_what_is_ours(work, operator, tenant, way, resource):
    before = _ours(_bound(work))
    assert before[pods.ALLOCATION] and before[SIGNATURE] and before["label"] == "true"
    path = _path(work, "victim" + ("/status" if resource == "pods/status" else ""))
    # A tenant has no right to a status; there the administrator alone tries.
    users = [tenant, operator] if resource == "pods" else [operator]
    for what, (changes, sentence) in CHANGES.items():
        if way == "apply" and _is_removal(changes):
            continue  # To apply takes away only what the same manager applied before.
        for user in users:
            said = _refusal(lambda: WAYS[way](user, path, work.pod("victim"), changes))
            assert sentence in said, (what, said)
    assert _ours(work.pod("victim")) == before


def test_a_pod_that_waits_is_guarded_like_a_bound_one(work, tenant):
    work.create(pods.share("waiting", scheduler=NOBODY))
    for what, (changes, sentence) in CHANGES.items():
        if not (what.startswith("remove ") and "label" not in what):  # It has no annotation yet.
            assert sentence in _refusal(lambda: WAYS["merge patch"](
                tenant, _path(work, "waiting"), None, changes)), what


def test_the_refusal_says_who_and_what_and_the_remedy(work, operator):
    _bound(work)
    said = _refusal(lambda: operator.patch(_path(work, "victim"), _annotated(
        {"tencent.com/predicate-node": "n"})))
    assert "user operator may neither" in said and "guards.recordWriters" in said


@pytest.mark.parametrize("subresource, body", [
    ("ephemeralcontainers", {"spec": {"ephemeralContainers": [
        {"name": "debug", "image": pods.NO_IMAGE, "targetContainerName": "main"}]}}),
    ("resize", {"spec": {"containers": [{"name": "main", "resources": {
        "requests": {"cpu": "10m"}}}]}})])
def test_subresources_of_the_spec_change_nothing_of_ours(work, operator, subresource, body):
    before = _ours(_bound(work))
    pods.report_phase(work.api, work.name, "victim", "Running")
    for changes, _ in CHANGES.values():
        try:
            operator.patch(_path(work, f"victim/{subresource}"), {**body, "metadata": changes},
                           content_type=STRATEGIC_PATCH)
        except ApiError as error:
            # The second ephemeral container of that name, a resize that the kind of pod can't have.
            assert error.code in (403, 422), error
        assert _ours(work.pod("victim")) == before


# ---- at creation ----

def test_what_is_preset_is_taken_off_with_a_warning(cluster, work, tenant):
    restored = pods.share("restored", scheduler=NOBODY, annotations={**KEYS, "example.org/a": "b"})
    restored["metadata"]["labels"] = {pods.GPU_LABEL: "false"}
    made = tenant.post(_path(work), restored)
    assert pods.annotations_of(made) == {"example.org/a": "b"}
    assert made["metadata"]["labels"][pods.GPU_LABEL] == "true"
    for key in KEYS:
        assert any(f"annotation {key} is removed" in each for each in made.warnings), made.warnings


def test_a_template_that_carries_the_keys_makes_pods_without(work, tenant):
    template = pods.share("unused", scheduler=NOBODY, annotations=KEYS)
    template["metadata"]["labels"] = {"app": "copied", pods.GPU_LABEL: "false"}
    del template["metadata"]["name"]
    tenant.post(f"/apis/apps/v1/namespaces/{work.name}/replicasets", {
        "apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": {"name": "copied"},
        "spec": {"replicas": 1, "selector": {"matchLabels": {"app": "copied"}},
                 "template": {"metadata": template["metadata"], "spec": template["spec"]}}})
    path = f"/apis/apps/v1/namespaces/{work.name}/replicasets/copied"
    try:
        made = until("the pod", lambda: [each for each in work.pods()[0]])[0]
        assert not set(pods.annotations_of(made)) & set(KEYS)
        assert made["metadata"]["labels"][pods.GPU_LABEL] == "true"
    finally:
        work.api.delete(path, propagationPolicy="Background")


def test_where_no_webhook_is_called_a_preset_record_is_refused(cluster, operator):
    cluster.ensure_service_account("kube-system")
    path = "/api/v1/namespaces/kube-system/pods"
    for key, value in KEYS.items():
        assert SENTENCE in _refusal(lambda: operator.post(
            path, pods.share("forged", annotations={key: value}), dryRun="All")), key
    labelled = pods.share("labelled")
    labelled["metadata"]["labels"] = {pods.GPU_LABEL: "false"}
    assert LABEL_SENTENCE in _refusal(lambda: operator.post(path, labelled, dryRun="All"))
    labelled["metadata"]["labels"] = {pods.GPU_LABEL: "true"}
    for built in (pods.share("plain"), labelled):
        operator.post(path, built, dryRun="All")


# ---- by a Binding ----

@pytest.mark.parametrize("way", ["pods/binding", "bindings"])
def test_nobody_binds_with_a_record(cluster, work, operator, tenant, way):
    node = work.add_node(cards=1)
    work.create(pods.share("bound", scheduler=NOBODY))
    until("the allocator to know the pod", lambda: cluster.allocator.explain(work.name, "bound"))
    path = _path(work, "bound/binding") if way == "pods/binding" else \
        f"/api/v1/namespaces/{work.name}/bindings"
    for key, value in KEYS.items():
        with pytest.raises(ApiError) as caught:
            operator.post(path, _binding("bound", node, annotations={key: value}))
        # The webhook says it first; without it the policy does (the test below).
        assert caught.value.code == 403 and "operator" in caught.value.message, caught.value
    with pytest.raises(ApiError, match="cannot create resource"):
        tenant.post(path, _binding("bound", node))
    assert not pods.node_of(work.pod("bound"))
    assert not set(pods.annotations_of(work.pod("bound"))) & set(KEYS)


@pytest.mark.parametrize("way", ["pods/binding", "bindings"])
def test_the_policy_refuses_it_while_the_allocator_is_down(cluster, work, operator, way):
    node = work.add_node(cards=1)
    work.create(pods.share("bound", scheduler=NOBODY))
    cluster.allocator.process.kill()
    path = _path(work, "bound/binding") if way == "pods/binding" else \
        f"/api/v1/namespaces/{work.name}/bindings"
    for key, value in KEYS.items():
        said = _refusal(lambda: operator.post(path, _binding("bound", node, annotations={key: value})))
        assert "a Binding may not carry the record" in said and "user operator" in said
        assert "guards.schedulers" in said
    for value in ("false", "other"):
        assert "label aliquot.io/gpu of a Binding" in _refusal(lambda: operator.post(
            path, _binding("bound", node, labels={pods.GPU_LABEL: value})))
    assert not pods.node_of(work.pod("bound"))


def test_of_a_schedulers_binding_the_record_is_replaced(cluster, work):
    node = work.add_node(cards=1)
    work.create(pods.share("bound", scheduler=NOBODY))
    until("the allocator to know the pod", lambda: cluster.allocator.explain(work.name, "bound"))
    answer = cluster.plane.client("scheduler").post(
        _path(work, "bound/binding"), _binding("bound", node, annotations=KEYS))
    assert any(pods.ALLOCATION in each for each in answer.warnings), answer.warnings
    found = pods.annotations_of(work.pod("bound"))
    assert json.loads(found[pods.ALLOCATION])["uid"] == work.pod("bound")["metadata"]["uid"]
    assert f"{pods.INDEX_PREFIX}9" not in found and found["tencent.com/predicate-node"] == node
    work.ledger().check()


def test_who_is_named_nowhere_binds_and_the_cards_come_after_it(cluster, work, operator):
    node = work.add_node(cards=1)
    work.create(pods.share("bound", scheduler=NOBODY))
    until("the allocator to know the pod", lambda: cluster.allocator.explain(work.name, "bound"))
    operator.post(_path(work, "bound/binding"), _binding("bound", node))
    assert pods.node_of(work.pod("bound")) == node
    until("the late stamp", lambda: pods.ALLOCATION in pods.annotations_of(work.pod("bound")))
    work.ledger().check()


# ---- everybody else's work goes on ----

def test_the_kubelet_reports_and_does_not_write_records(cluster, work):
    node = pods.node_of(_bound(work))
    cluster.plane.add_user(f"kubelet-{node}", f"system:node:{node}", "system:nodes")
    kubelet = cluster.plane.client(f"kubelet-{node}")
    until("the kubelet's rights", lambda: kubelet.reachable(_path(work, "victim")))
    status = _path(work, "victim/status")
    condition = {"type": "Initialized", "status": "True"}
    kubelet.patch(status, {"status": {"phase": "Running", "conditions": [condition]}})
    assert work.pod("victim")["status"]["phase"] == "Running"
    for changes, sentence in CHANGES.values():
        with pytest.raises(ApiError) as caught:
            kubelet.patch(status, {"metadata": changes})
        # That labels stay as they are is a rule for kubelets of Kubernetes itself.
        assert caught.value.code == 403, caught.value
        assert sentence in caught.value.message or "labels" in changes


def test_other_metadata_of_gpu_pods_is_everybodys(work, tenant, operator):
    _bound(work)
    for user in (tenant, operator):
        user.patch(_path(work, "victim"), {"metadata": {
            "annotations": {"example.org/a": "x", "aliquot.io/gpu-model": "T4",
                            "tencent.com/predicate-other": "x"},
            "labels": {"example.org/l": "x", pods.GPU_LABEL: "true"},
            "finalizers": ["example.org/kept"]}})
        user.put(_path(work, "victim"), dict(user.get(_path(work, "victim"))))
        user.patch(_path(work, "victim"), {"metadata": {
            "annotations": {"example.org/a": None, "aliquot.io/gpu-model": None},
            "labels": {"example.org/l": None}, "finalizers": None}})


def test_pods_without_our_resources_are_nobodys_business(work, operator, tenant):
    plain = pods.pod("plain", [pods.container()], scheduler=NOBODY, annotations=KEYS)
    plain["metadata"]["labels"] = {pods.GPU_LABEL: "false"}
    tenant.post(_path(work), plain)
    for path in (_path(work, "plain"), _path(work, "plain/status")):
        for changes, _ in CHANGES.values():
            # What was taken away before is set again.
            operator.patch(path, {"metadata": changes})
            operator.patch(path, {"metadata": {"annotations": KEYS,
                                               "labels": {pods.GPU_LABEL: "true"}}})


def test_a_pod_with_tens_of_thousands_of_annotations_is_judged_within_the_budget(work, operator):
    # The API server ends an expression that costs too much, which would hold up the pod's kubelet. A pod has 256 KiB
    # of annotations at most; these are 160 KB.
    built = pods.share("many", scheduler=NOBODY)
    built["metadata"]["annotations"] = {f"{i:04x}": "" for i in range(40000)}
    work.create(built)
    operator.patch(_path(work, "many/status"), {"status": {"phase": "Running"}})
    assert work.pod("many")["status"]["phase"] == "Running"


def test_record_writers_write_gpu_managers_keys_and_none_of_ours(cluster, work, operator):
    _bound(work)
    cluster.plane.add_user("migrator", "migrator", "system:masters")
    migrator = cluster.plane.client("migrator")
    theirs = {key: value for key, value in KEYS.items() if key.startswith("tencent.com/")}

    def policy(objects):
        return [each for each in objects if each["metadata"]["name"] == "aliquot-pod-record"]
    chart.apply(cluster.api, policy(chart.render("guards.recordWriters={migrator}")))
    try:
        until("the writer to count", lambda: not _is_forbidden(
            lambda: migrator.patch(_path(work, "victim"), _annotated(theirs), dryRun="All")))
        migrator.patch(_path(work, "victim"), _annotated(theirs))
        for key in set(KEYS) - set(theirs):
            assert SENTENCE in _refusal(lambda: migrator.patch(
                _path(work, "victim"), _annotated({key: "x"})))
        assert LABEL_SENTENCE in _refusal(lambda: migrator.patch(
            _path(work, "victim"), {"metadata": {"labels": {pods.GPU_LABEL: None}}}))
        assert SENTENCE in _refusal(lambda: operator.patch(
            _path(work, "victim"), _annotated({"tencent.com/gpu-assigned": "false"})))
    finally:
        chart.apply(cluster.api, policy(cluster.objects))
        until("the writer to count no more", lambda: _is_forbidden(
            lambda: migrator.patch(_path(work, "victim"), _annotated({
                "tencent.com/predicate-node": "again"}), dryRun="All")))


def test_nobody_lists_what_the_guards_do_not_know(work):
    """A bound pod has no annotation of ours beyond KEYS that a user did not ask for."""
    bound = _bound(work)
    ours = {key for key in pods.annotations_of(bound) if key.startswith(("aliquot.io/", "tencent.com/"))}
    assert ours <= set(KEYS), ours - set(KEYS)
