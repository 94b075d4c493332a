# SPDX-License-Identifier: Apache-2.0
"""gpu-manager on a cluster, as far as a migration meets it; none of it is gpu-manager's code.

    admission = GpuAdmission(plane)       its scheduler extension: plans in the filter, by annotation
    Daemons(nodes).follow()               its DaemonSet and ours: programs go by the nodes' labels
    report(api, pod, card)                its node agent, after a start: assigned, and which card

What they write and when is gpu-manager's, from its sources: the filter names one node and writes
predicate-node, predicate-time, predicate-gpu-idx-<i> and gpu-assigned=false; the device plugin
(tests/e2e/gpu_manager) hands out nodes below /dev by its own choice of card; after the start
gpu-assigned becomes true and the index that of the card. Both run as cluster administrators, as its README has it.
"""
import http.server
import json
import threading
import time

from . import pods
from .box import BoxProcess
from .chart import ROOT
from .kubelet import PLUGINS
from .waiting import until

LABEL = ("nvidia-device-enable", "enable")  # by which its DaemonSet is placed
OURS = ("aliquot.io/pool", "shares")        # by which docs/migrate/gpu-manager.md places our agent
ASSIGNED = "tencent.com/gpu-assigned"
NODE = "tencent.com/predicate-node"
_TIME = "tencent.com/predicate-time"
_CARD_MAJOR, _CONTROL_MINOR = 195, 255


def program():
    """The stand-in's device plugin, which run.sh builds."""
    found = ROOT / "build" / "release" / "tests" / "e2e" / "gpu_manager" / "gpu_manager_stand_in"
    assert found.exists(), f"{found} is missing: run 'tools/build.sh release gpu_manager_stand_in'"
    return found


def administrator(plane, name):
    """(user, client) of a service account in kube-system that may do everything."""
    account = {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": name}}
    path = "/api/v1/namespaces/kube-system/serviceaccounts"
    if plane.api.exists(f"{path}/{name}") is None:
        plane.api.post(path, account)
    roles = "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings"
    if plane.api.exists(f"{roles}/{name}") is None:
        plane.api.post(roles, {
            "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding",
            "metadata": {"name": name}, "roleRef": {"apiGroup": "rbac.authorization.k8s.io",
                                                    "kind": "ClusterRole", "name": "cluster-admin"},
            "subjects": [{"kind": "ServiceAccount", "name": name, "namespace": "kube-system"}]})
    answer = plane.api.post(f"{path}/{name}/token", {
        "apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest",
        "spec": {"expirationSeconds": 3600}})
    return (f"system:serviceaccount:kube-system:{name}",
            plane.client_with_token(answer["status"]["token"]))


def _asks(pod):
    """Percent asked for by each of a pod's containers."""
    return [int((each.get("resources") or {}).get("limits", {}).get(pods.CORE, "0"))
            for each in pod["spec"]["containers"]]


class GpuAdmission:
    """The filter of gpu-manager's extender, for shares and single whole cards."""

    def __init__(self, plane):
        self.user, self._api = administrator(plane, "gpu-admission")
        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def stop(self):
        """Listens no more."""
        self._server.shutdown()
        self._server.server_close()

    def extender(self):
        """Its entry in a KubeSchedulerConfiguration, as its README has it."""
        return {"urlPrefix": f"http://127.0.0.1:{self._server.server_address[1]}/scheduler",
                "filterVerb": "predicates", "enableHTTPS": False, "nodeCacheCapable": False,
                "managedResources": [{"name": pods.CORE, "ignoredByScheduler": False}]}

    def _handler(self):
        admission = self

        class Handler(http.server.BaseHTTPRequestHandler):
            """One request of kube-scheduler."""

            def do_POST(self):  # pylint: disable=invalid-name  # the library's name
                """Answers the filter verb."""
                request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                answer = json.dumps(admission.filter(request["Pod"], request["Nodes"])).encode()
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

            def log_message(self, *arguments):  # pylint: disable=arguments-differ
                """Says nothing."""

        return Handler

    def filter(self, pod, nodes):
        """The one node that it chose, with the plan written onto the pod."""
        if NODE in pods.annotations_of(pod):
            return {"Error": f"pod {pod['metadata']['name']} had been predicated"}
        failed = {}
        for node in nodes["items"]:
            name = node["metadata"]["name"]
            count = int(node["status"]["capacity"].get(pods.CORE, "0")) // 100
            plan = self._plan(pod, name, count)
            if plan is None:
                failed[name] = "no GPU device" if count == 0 else "not enough free cores"
                continue
            metadata = pod["metadata"]
            self._api.patch(
                f"/api/v1/namespaces/{metadata['namespace']}/pods/{metadata['name']}",
                {"metadata": {"annotations": {
                    NODE: name, _TIME: str(time.time_ns()), ASSIGNED: "false", **plan}}})
            others = {each["metadata"]["name"]: "already matched to another node"
                      for each in nodes["items"] if each["metadata"]["name"] != name}
            return {"Nodes": {"items": [node]}, "FailedNodes": others, "Error": ""}
        return {"Nodes": {"items": []}, "FailedNodes": failed, "Error": ""}

    def _plan(self, pod, node, count):
        """predicate-gpu-idx-<i> for every container that asks, or None."""
        free = [100] * count
        for each in self._api.get("/api/v1/pods", fieldSelector=f"spec.nodeName={node}")["items"]:
            if each["status"].get("phase") in pods.ENDED:
                continue
            for index, core in enumerate(_asks(each)):
                text = pods.annotations_of(each).get(f"{pods.INDEX_PREFIX}{index}")
                for card in (text or "").split(",") if core else []:
                    if card:
                        free[int(card)] -= min(core, 100)
        plan = {}
        for index, core in enumerate(_asks(pod)):
            if core:
                fitting = [card for card in range(count) if free[card] >= min(core, 100)]
                if not fitting:
                    return None
                card = min(fitting, key=lambda each: (free[each], each))
                free[card] -= min(core, 100)
                plan[f"{pods.INDEX_PREFIX}{index}"] = str(card)
        return plan


class Daemons:
    """Two DaemonSets: gpu-manager's where LABEL is, Aliquot's agent where OURS is.

    `nodes` are real nodes whose agents do not run yet.
    """

    def __init__(self, nodes, cards=4, units=60):
        self._nodes = nodes
        self._cards = cards
        self.plugins = {node.name: BoxProcess(node.box, f"gpu-manager-{node.name}", [
            program(), PLUGINS, str(cards), str(units)]) for node in nodes}

    def follow(self):
        """Starts and ends the programs as the nodes' labels say."""
        for node in self._nodes:
            labels = node.object()["metadata"].get("labels") or {}
            wanted = {"old": labels.get(LABEL[0]) == LABEL[1],
                      "new": labels.get(OURS[0]) == OURS[1]}
            plugin, agent = self.plugins[node.name], node.agent
            if plugin.running() and not wanted["old"]:
                plugin.stop()
            if agent.process.running() and not wanted["new"]:
                agent.process.stop()
                agent.forget()
            if wanted["old"] and not plugin.running():
                self._start_plugin(node, plugin)
            if wanted["new"] and not agent.process.running():
                agent.start(wait=False)

    def _start_plugin(self, node, plugin):
        for name, minor in [(f"nvidia{card}", card) for card in range(self._cards)] + [
                ("nvidiactl", _CONTROL_MINOR)]:
            if not node.box.path(f"/dev/{name}").exists():
                node.box.run(["mknod", "-m", "666", f"/dev/{name}", "c", str(_CARD_MAJOR),
                              str(minor)])
        plugin.start()
        until(f"{node.name} to offer gpu-manager's cards",
              lambda: node.allocatable(pods.CORE) == 100 * self._cards)


def report(api, pod, card):
    """gpu-manager after a container's start: the pod says that it has its card, and which."""
    metadata = pod["metadata"]
    api.patch(f"/api/v1/namespaces/{metadata['namespace']}/pods/{metadata['name']}",
              {"metadata": {"annotations": {
                  ASSIGNED: "true", f"{pods.INDEX_PREFIX}0": str(card)}}})
