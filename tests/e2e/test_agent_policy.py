# SPDX-License-Identifier: Apache-2.0
"""What the API server lets a node agent write, and who else may write an inventory.

No kubelet is needed: a token that is bound to a pod with a node names that node, as the kubelet's
tokens do.
"""
import json

import pytest

from harness import chart, nodes
from harness.api import JSON_PATCH, Api, ApiError
from harness.waiting import until

pytestmark = pytest.mark.core

INVENTORY = "aliquot.io/gpu-inventory"
ACCOUNT = "aliquot-agent"
STARTUP_TAINT = "aliquot.io/starting"
# Another program's things on the Node, which the agent must leave alone.
OTHERS = {"metadata": {"annotations": {"example.org/rack": "r1"},
                       "labels": {"example.org/zone": "a"},
                       "finalizers": ["example.org/kept"]},
          "spec": {"taints": [{"key": "example.org/held", "effect": "NoSchedule"}]}}

# A merge patch of its own Node that the agent may not make, and a part of the refusal.
REFUSED = {
    "another annotation": ({"metadata": {"annotations": {"example.org/new": "x"}}},
                           "begin with aliquot.io/"),
    "another's annotation": ({"metadata": {"annotations": {"example.org/rack": "r2"}}},
                             "begin with aliquot.io/"),
    "another's annotation gone": ({"metadata": {"annotations": {"example.org/rack": None}}},
                                  "begin with aliquot.io/"),
    "another label": ({"metadata": {"labels": {"example.org/new": "x"}}}, "these labels"),
    "another's label": ({"metadata": {"labels": {"example.org/zone": "b"}}}, "these labels"),
    "another's label gone": ({"metadata": {"labels": {"example.org/zone": None}}}, "these labels"),
    "a like label": ({"metadata": {"labels": {"nvidia.com/gpu.deploy.driver": "false"}}},
                     "these labels"),
    "an owner": ({"metadata": {"ownerReferences": [{
        "apiVersion": "v1", "kind": "ConfigMap", "name": "c", "uid": "u"}]}}, "in the metadata"),
    "another's finalizer gone": ({"metadata": {"finalizers": None}}, "in the metadata"),
    "a taint": ({"spec": {"taints": OTHERS["spec"]["taints"] + [
        {"key": "example.org/new", "effect": "NoExecute"}]}}, "startup taint"),
    "another's taint gone": ({"spec": {"taints": None}}, "startup taint"),
    "another's taint changed": ({"spec": {"taints": [
        {"key": "example.org/held", "effect": "NoExecute"}]}}, "startup taint"),
    "a cordon": ({"spec": {"unschedulable": True}}, "in the spec"),
    "a provider": ({"spec": {"providerID": "example://1"}}, "in the spec"),
}


def _path(node):
    return f"/api/v1/nodes/{node}"


def _annotated(value):
    return {"metadata": {"annotations": {INVENTORY: value}}}


class AgentOn:
    """An agent's identity on one node: a pod bound there, and tokens of its service account."""

    def __init__(self, cluster, node):
        self._cluster, self._pod = cluster, f"agent-of-{node}"
        self._account = f"/api/v1/namespaces/{chart.NAMESPACE}/serviceaccounts/{ACCOUNT}"
        self._pods = f"/api/v1/namespaces/{chart.NAMESPACE}/pods"
        made = cluster.api.post(self._pods, {
            "apiVersion": "v1", "kind": "Pod", "metadata": {"name": self._pod},
            "spec": {"nodeName": node, "serviceAccountName": ACCOUNT,
                     "automountServiceAccountToken": False,
                     "containers": [{"name": "agent", "image": "registry.example/agent:1"}]}})
        self.api = self.client({"boundObjectRef": {
            "apiVersion": "v1", "kind": "Pod", "name": self._pod, "uid": made["metadata"]["uid"]}})

    def client(self, bound):
        """A client with a new token of the service account; an empty dict binds it to nothing."""
        answer = self._cluster.api.post(f"{self._account}/token", {
            "apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": bound})
        return Api(self._cluster.plane.server.split("://")[1],
                   self._cluster.plane.authority.certificate, token=answer["status"]["token"])

    def remove(self):
        """Deletes the pod."""
        self._cluster.api.delete(f"{self._pods}/{self._pod}", grace=0)


@pytest.fixture(name="node")
def _node(work):
    return work.add_node(cards=2)


@pytest.fixture(name="agent")
def _agent(cluster, node):
    made = AgentOn(cluster, node)
    yield made
    made.remove()


@pytest.fixture(autouse=True)
def _in_force(cluster, work):
    """Policies take effect a moment after they were made; those of the chart one by one."""
    probe = work.add_node(cards=0, prefix="probe")
    agent = AgentOn(cluster, probe)
    nobody = agent.client({})
    cluster.plane.add_user("operator", "operator", "system:masters")
    calls = [lambda: nobody.patch(_path(probe), _annotated("x"), dryRun="All"),
             lambda: nobody.post("/apis/events.k8s.io/v1/namespaces/default/events",
                                 _event("default", probe), dryRun="All"),
             lambda: cluster.plane.client("operator").patch(_path(probe), _annotated("x"),
                                                            dryRun="All")]
    until("the policies to be in force", lambda: all(_is_forbidden(call) for call in calls))
    agent.remove()


def _is_forbidden(call):
    try:
        call()
    except ApiError as error:
        return error.code == 403
    return False


@pytest.fixture(name="admin_not_named")
def _admin_not_named(cluster):
    """A cluster administrator who is not among agent.inventoryWriters."""
    return cluster.plane.client("operator")


@pytest.fixture(name="kubelet")
def _kubelet(cluster, node):
    cluster.plane.add_user("kubelet", f"system:node:{node}", "system:nodes")
    return cluster.plane.client("kubelet")


def _refusal(call):
    """The sentence with which a call is forbidden."""
    with pytest.raises(ApiError) as caught:
        call()
    assert caught.value.code == 403, caught.value
    return caught.value.message


# ---- the agent on its own node ----

def test_the_agent_writes_inventory_and_labels_of_its_own_node(cluster, agent, node):
    value = nodes.inventory(node, 1)
    agent.api.patch(_path(node), {"metadata": {
        "annotations": {INVENTORY: value, "aliquot.io/gpu-labels": "nvidia.com/gpu.count=1"},
        "labels": {"nvidia.com/gpu.product": "A100", "nvidia.com/gpu.count": "1",
                   "nvidia.com/gpu.memory": "81920"}}})
    found = cluster.api.get(_path(node))["metadata"]
    assert found["annotations"][INVENTORY] == value
    assert found["labels"]["nvidia.com/gpu.count"] == "1"
    # What it wrote it may take away again.
    agent.api.patch(_path(node), {"metadata": {
        "annotations": {INVENTORY: None, "aliquot.io/gpu-labels": None},
        "labels": {"nvidia.com/gpu.product": None, "nvidia.com/gpu.count": None,
                   "nvidia.com/gpu.memory": None}}})
    assert INVENTORY not in cluster.api.get(_path(node))["metadata"].get("annotations", {})


def test_a_node_with_nothing_on_it_can_be_published(cluster, work):
    node = work.add_node(cards=0, prefix="bare")
    agent = AgentOn(cluster, node)
    try:
        agent.api.patch(_path(node), _annotated(nodes.inventory(node, 1)))
    finally:
        agent.remove()


def test_a_node_as_large_as_they_get_is_judged_within_the_budget(cluster, agent, node):
    # The API server ends an expression that costs too much, which would refuse the agent for good.
    cluster.api.patch(_path(node), {"metadata": {
        "annotations": {f"example.org/a-{i}": "x" * 1000 for i in range(200)},
        "labels": {f"example.org/l-{i}": "x" * 60 for i in range(200)}},
        "spec": {"taints": [{"key": f"example.org/t-{i}", "effect": "NoSchedule"}
                            for i in range(50)]}})
    cluster.api.patch(f"{_path(node)}/status", {"status": {"images": [
        {"names": [f"registry.example/{'n' * 200}-{i}-{j}" for j in range(5)], "sizeBytes": i}
        for i in range(50)]}})
    agent.api.patch(_path(node), _annotated(nodes.inventory(node, 1)))


@pytest.mark.parametrize("case", REFUSED)
def test_the_agent_changes_nothing_else_of_its_own_node(cluster, agent, node, case):
    cluster.api.patch(_path(node), OTHERS)
    patch, sentence = REFUSED[case]
    try:
        before = cluster.api.get(_path(node))
        assert sentence in _refusal(lambda: agent.api.patch(_path(node), patch))
        after = cluster.api.get(_path(node))
        assert (after["metadata"].get("annotations"), after["metadata"]["labels"], after["spec"]) \
            == (before["metadata"].get("annotations"), before["metadata"]["labels"], before["spec"])
        # What is its own may be written beside all that.
        agent.api.patch(_path(node), _annotated("{}"))
    finally:
        cluster.api.patch(_path(node), {"metadata": {"finalizers": None}})


def test_the_agent_does_not_write_its_nodes_status(agent, node):
    assert "cannot patch resource \"nodes/status\"" in _refusal(
        lambda: agent.api.patch(f"{_path(node)}/status", _annotated("{}")))


def test_the_agent_takes_the_startup_taint_off_and_no_other(cluster, agent, node):
    _apply(cluster, chart.render(f"agent.startupTaint={STARTUP_TAINT}"))
    held = OTHERS["spec"]["taints"][0]
    starting = {"key": STARTUP_TAINT, "effect": "NoSchedule"}
    try:
        cluster.api.patch(_path(node), {"spec": {"taints": [starting, held]}})

        def removed():
            try:
                return agent.api.patch(_path(node), [
                    {"op": "test", "path": "/spec/taints/0/key", "value": STARTUP_TAINT},
                    {"op": "remove", "path": "/spec/taints/0"}], content_type=JSON_PATCH)
            except ApiError as error:
                raise AssertionError(str(error)) from error
        until("the policy with the taint to be in force", removed)
        assert cluster.api.get(_path(node))["spec"]["taints"] == [held]
        assert "startup taint" in _refusal(
            lambda: agent.api.patch(_path(node), {"spec": {"taints": None}}))
        # Off, and not on again.
        assert "startup taint" in _refusal(
            lambda: agent.api.patch(_path(node), {"spec": {"taints": [held, starting]}}))
    finally:
        _apply(cluster, cluster.objects)


def _apply(cluster, objects):
    chart.apply(cluster.api, [each for each in objects
                              if each["metadata"]["name"] == "aliquot-agent-node"])


# ---- the agent elsewhere ----

def test_the_agent_writes_no_other_node(work, agent, node):
    other = work.add_node(cards=2, prefix="other")
    assert f"its token is of node {node}" in _refusal(
        lambda: agent.api.patch(_path(other), _annotated("{}")))


def test_a_token_that_names_no_node_writes_no_node(cluster, agent, node):
    assert "its token is of no node" in _refusal(
        lambda: agent.client({}).patch(_path(node), _annotated("{}")))
    # Before it is bound a pod has no node, and neither has its token.
    path = f"/api/v1/namespaces/{chart.NAMESPACE}/pods"
    pod = cluster.api.post(path, {
        "apiVersion": "v1", "kind": "Pod", "metadata": {"name": "unbound"},
        "spec": {"schedulerName": "nobody", "serviceAccountName": ACCOUNT,
                 "containers": [{"name": "c", "image": "registry.example/agent:1"}]}})
    try:
        unbound = agent.client({"boundObjectRef": {
            "apiVersion": "v1", "kind": "Pod", "name": "unbound", "uid": pod["metadata"]["uid"]}})
        assert "its token is of no node" in _refusal(
            lambda: unbound.patch(_path(node), _annotated("{}")))
    finally:
        cluster.api.delete(f"{path}/unbound", grace=0)


def test_the_agent_has_no_other_rights(cluster, agent, node, work):
    assert "cannot delete resource \"nodes\"" in _refusal(lambda: agent.api.delete(_path(node)))
    assert "cannot list resource \"secrets\"" in _refusal(lambda: agent.api.get("/api/v1/secrets"))
    assert "cannot create resource \"pods\"" in _refusal(
        lambda: agent.api.post(f"/api/v1/namespaces/{work.name}/pods", {
            "apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}}))
    # Not even its own pod's record.
    name = f"agent-of-{node}"
    assert "cannot patch resource \"pods\"" in _refusal(lambda: agent.api.patch(
        f"/api/v1/namespaces/{chart.NAMESPACE}/pods/{name}", {"metadata": {"annotations": {
            "aliquot.io/allocation": "{}"}}}))
    agent.api.get("/api/v1/pods", fieldSelector=f"spec.nodeName={node}")


# ---- events ----

def _event(namespace, instance):
    return {"apiVersion": "events.k8s.io/v1", "kind": "Event",
            "metadata": {"generateName": "refused-", "namespace": namespace},
            "eventTime": "2026-01-01T00:00:00.000000Z", "type": "Warning", "action": "Start",
            "reason": "no_allocation", "note": "a test", "reportingController": "aliquot.io/agent",
            "reportingInstance": instance,
            "regarding": {"kind": "Pod", "name": "p", "namespace": namespace}}


def test_events_are_told_in_the_name_of_its_own_node_only(work, agent, node):
    path = f"/apis/events.k8s.io/v1/namespaces/{work.name}/events"
    agent.api.post(path, _event(work.name, node))
    sentence = "with its own node's name as reportingInstance"
    for instance in ("another-node", f"{node}x", node[:-1]):
        assert sentence in _refusal(lambda: agent.api.post(path, _event(work.name, instance)))
    assert sentence in _refusal(
        lambda: agent.client({}).post(path, _event(work.name, node)))


# ---- everybody else ----

def test_nobody_but_the_agent_writes_an_inventory(cluster, agent, node, work, admin_not_named):
    value = cluster.api.get(_path(node))["metadata"]["annotations"][INVENTORY]
    for path in (_path(node), f"{_path(node)}/status"):
        for change in ("{}", None):
            assert "is written by its node agent; user operator may not" in _refusal(
                lambda: admin_not_named.patch(path, _annotated(change)))
    built = nodes.node(f"{work.name}-made", work.name)
    assert "is written by its node agent" in _refusal(
        lambda: admin_not_named.post("/api/v1/nodes", built))
    assert cluster.api.get(_path(node))["metadata"]["annotations"][INVENTORY] == value


def test_all_other_work_on_nodes_goes_on(cluster, agent, node, work, admin_not_named):
    # With an inventory, without one, and one that is unreadable.
    bare = work.add_node(cards=0, prefix="bare")
    damaged = work.add_node(cards=1, prefix="damaged")
    cluster.api.patch(_path(damaged), _annotated("not json"))
    for each in (node, bare, damaged):
        admin_not_named.patch(_path(each), {"metadata": {"labels": {"example.org/l": "x"},
                                                         "annotations": {"example.org/a": "x"}},
                                            "spec": {"unschedulable": True}})
        admin_not_named.patch(f"{_path(each)}/status", {"status": {"phase": "Running"}})
        whole = admin_not_named.get(_path(each))
        admin_not_named.put(_path(each), dict(whole))
    built = nodes.node(f"{work.name}-made", work.name, with_inventory=False)
    admin_not_named.post("/api/v1/nodes", built)
    for each in (node, bare, damaged, f"{work.name}-made"):
        admin_not_named.delete(_path(each))


def test_a_node_that_is_being_deleted_is_not_held_up(cluster, agent, node, admin_not_named):
    admin_not_named.patch(_path(node), {"metadata": {"finalizers": ["example.org/kept"]}})
    admin_not_named.delete(_path(node))
    admin_not_named.patch(_path(node), {"metadata": {"finalizers": None}})
    assert cluster.api.exists(_path(node)) is None


def test_the_kubelets_heartbeat_passes_and_its_inventory_does_not(cluster, agent, node, kubelet):
    condition = {"type": "Ready", "status": "True", "reason": "KubeletReady", "message": "beat",
                 "lastHeartbeatTime": "2026-01-01T00:00:00Z"}
    kubelet.patch(f"{_path(node)}/status", {"status": {"conditions": [condition]}})
    found = cluster.api.get(_path(node))
    assert found["status"]["conditions"][0]["message"] == "beat"
    kubelet.patch(_path(node), {"metadata": {"annotations": {
        "volumes.kubernetes.io/controller-managed-attach-detach": "true"}}})
    for path in (_path(node), f"{_path(node)}/status"):
        assert "is written by its node agent" in _refusal(
            lambda: kubelet.patch(path, _annotated(json.dumps({"v": 1}))))


def test_who_is_named_in_the_values_may_write_inventories(cluster, agent, node):
    # The suite's own administrator is: all its nodes are made so.
    cluster.api.patch(_path(node), _annotated(nodes.inventory(node, 1)))
