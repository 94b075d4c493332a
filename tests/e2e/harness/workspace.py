# SPDX-License-Identifier: Apache-2.0
"""One test's own namespace and nodes on the shared cluster, gone when the test ends."""
import concurrent.futures

from . import nodes, pods
from .ledger_checker import Ledger
from .waiting import until


class Workspace:
    """A namespace, and nodes that only this namespace's pods select by their group label."""

    def __init__(self, cluster, name):
        self.cluster = cluster
        self.api = cluster.api
        self.name = name
        self._pods = f"/api/v1/namespaces/{name}/pods"
        self.api.post("/api/v1/namespaces", {"apiVersion": "v1", "kind": "Namespace",
                                             "metadata": {"name": name}})
        cluster.ensure_service_account(name)

    def add_nodes(self, count, cards=8, prefix="node", **more):
        """Adds `count` nodes of `cards` cards each; returns their names."""
        names = [f"{self.name}-{prefix}-{index}" for index in range(count)]
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            list(pool.map(lambda name: self.api.post(
                "/api/v1/nodes", nodes.node(name, self.name, cards, **more)), names))
        return names

    def add_node(self, cards=8, prefix="node", **more):
        """Adds one node; returns its name."""
        return self.add_nodes(1, cards, prefix, **more)[0]

    def create(self, built):
        """Creates a pod that may run only on this workspace's nodes."""
        built["spec"].setdefault("nodeSelector", {})[nodes.GROUP_LABEL] = self.name
        return self.api.post(self._pods, built)

    def create_all(self, built):
        """Creates many pods at once."""
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            return list(pool.map(self.create, built))

    def pod(self, name):
        """The pod as it is now."""
        return self.api.get(f"{self._pods}/{name}")

    def pods(self):
        """All pods as they are now, and the list's resourceVersion."""
        answer = self.api.get(self._pods)
        return answer["items"], answer["metadata"]["resourceVersion"]

    def watch(self):
        """A watch of this namespace's pods from now on."""
        return self.api.watch(self._pods, self.pods()[1])

    def delete(self, name, grace=0):
        """Deletes a pod; with grace 0 it is gone at once."""
        return self.api.delete(f"{self._pods}/{name}", grace=grace)

    def bind(self, name, node, **query):
        """Binds a pod by hand, as a person or another scheduler would."""
        return self.api.post(f"{self._pods}/{name}/binding", {
            "apiVersion": "v1", "kind": "Binding", "metadata": {"name": name},
            "target": {"kind": "Node", "name": node}}, **query)

    def patch_metadata(self, name, api=None, **changes):
        """Merge-patches labels or annotations of a pod; a value None removes a key."""
        return (api or self.api).patch(f"{self._pods}/{name}", {"metadata": changes})

    def damage(self, name, **changes):
        """The same as the allocator's own user: policies refuse everybody else."""
        return self.patch_metadata(name, self.cluster.allocator.client(), **changes)

    def open_gates(self, name):
        """Takes a pod's scheduling gates away."""
        self.api.patch(f"{self._pods}/{name}", {"spec": {"schedulingGates": None}})

    def wait_bound(self, *names, timeout=20):
        """Waits until these pods are bound; returns them (one pod for one name)."""
        def bound():
            found = {each["metadata"]["name"]: each for each in self.pods()[0]}
            missing = [name for name in names if not pods.node_of(found[name])]
            assert not missing, f"{missing[:5]} have no node: " + str(
                (pods.condition(found[missing[0]], "PodScheduled") or {}).get("message"))
            return [found[name] for name in names]
        result = until("pods to be bound", bound, timeout)
        return result[0] if len(names) == 1 else result

    def wait_refused(self, name, timeout=20):
        """Waits until kube-scheduler reports that it found no node; returns its sentence."""
        def refused():
            found = pods.condition(self.pod(name), "PodScheduled")
            return (found and found["status"] == "False" and found["reason"] != "SchedulingGated"
                    and found.get("message"))
        return until(f"{name} to be found unschedulable", refused, timeout)

    def wait_scheduled_or_refused(self, timeout=60):
        """Waits until every pod has a node or a refusal; returns all pods."""
        def settled():
            found = self.pods()[0]
            waiting = [each["metadata"]["name"] for each in found
                       if not pods.node_of(each) and not pods.condition(each, "PodScheduled")]
            assert not waiting, f"{len(waiting)} pods were not looked at, {waiting[0]} among them"
            return found
        return until("every pod to be scheduled or refused", settled, timeout)

    def events(self, name):
        """The events about a pod, oldest first."""
        found = self.api.get(f"/api/v1/namespaces/{self.name}/events",
                             fieldSelector=f"involvedObject.name={name}")["items"]
        return sorted(found, key=lambda each: each["metadata"]["creationTimestamp"])

    def ledger(self):
        """This workspace's cards, recomputed from the API."""
        found = self.api.get("/api/v1/nodes", labelSelector=f"{nodes.GROUP_LABEL}={self.name}")
        return Ledger(found["items"], self.pods()[0])

    def check_complete(self):
        """No card over-booked, every record right, and nothing left pending that would fit."""
        ledger = self.ledger()
        ledger.check()
        for each in self.pods()[0]:
            if not pods.node_of(each):
                node = ledger.fits_somewhere(each)
                assert node is None, f"{each['metadata']['name']} is pending but fits on {node}"
        return ledger

    def delete_pods(self):
        """Deletes all pods at once and returns when they are gone."""
        self.api.delete(self._pods, grace=0)
        until("the pods to be gone", lambda: not self.pods()[0], timeout=30)

    def clean(self):
        """Removes jobs, pods and nodes. The empty namespace stays: its removal takes long."""
        self.api.delete(f"/apis/batch/v1/namespaces/{self.name}/jobs",
                        propagationPolicy="Background")
        self.delete_pods()
        self.api.delete("/api/v1/nodes", labelSelector=f"{nodes.GROUP_LABEL}={self.name}")
