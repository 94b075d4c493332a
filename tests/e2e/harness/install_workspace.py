# SPDX-License-Identifier: Apache-2.0
"""A test's namespace on an InstallCluster: its pods have the pod network and run where a scheduler
puts them."""
from . import images, pods
from .ledger_checker import Ledger
from .node_workspace import NodeWorkspace
from .waiting import until


class InstallWorkspace(NodeWorkspace):
    """As NodeWorkspace, on any node of the cluster; what is asked of one node is of the first."""

    def __init__(self, cluster, name):
        super().__init__(cluster, name, cluster.nodes[0])

    def create(self, built):
        """Creates a pod, with the probe in every container that names no image."""
        spec = built["spec"]
        spec.setdefault("automountServiceAccountToken", False)
        for container in spec["containers"] + spec.get("initContainers", []):
            if container["image"] == pods.NO_IMAGE:
                container["image"] = images.PROBE
            container.setdefault("imagePullPolicy", "Never")
        return self.api.post(self._pods, built)

    def node_of(self, name):
        """The node that a pod is on."""
        return self.cluster.node(pods.node_of(self.pod(name)))

    def ledger(self):
        """All cards of the cluster, recomputed from the API, with the pods of all namespaces."""
        return Ledger(self.api.get("/api/v1/nodes")["items"], self.api.get("/api/v1/pods")["items"])

    def delete_pods(self):
        """Deletes all pods and returns when they are gone, from their nodes too."""
        self.api.delete(self._pods, grace=1)
        until("the pods to be gone", lambda: not self.pods()[0], timeout=40)

    def placements(self):
        """Where every pod is and what its record says: {name: (node, record)}."""
        return {each["metadata"]["name"]: (pods.node_of(each),
                                           pods.annotations_of(each).get(pods.ALLOCATION))
                for each in self.pods()[0]}

    def started(self):
        """The containers that run, and how often they were started: {(pod, container): (id, n)}."""
        return {(each["metadata"]["name"], status["name"]): (
            status.get("containerID"), status["restartCount"])
            for each in self.pods()[0]
            for status in (each.get("status") or {}).get("containerStatuses") or []}
