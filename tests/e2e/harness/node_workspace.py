# SPDX-License-Identifier: Apache-2.0
"""A test's namespace whose pods run for real, on one real node.

Pods are built as elsewhere in the suite (harness/pods.py); `create` gives their containers the
probe image and the node. What a container found is its report, see probe/probe.c:

    work.create(pods.share("fifth"))
    work.wait_running("fifth")
    report = work.report("fifth")
    assert report.cards() == {"/dev/nvidia3"} and report.opened("/dev/nvidia3") ...
"""
import json

from . import images, pods
from .workspace import Workspace
from .waiting import InVain, until

CARD_MAJOR = 195
_CONTROL_MINOR = 255
_REFUSED = ("EPERM", "EACCES")


class Report:
    """What one container found. Nothing of the stand-in cards has a driver behind it, so an
    allowed open ends with ENXIO; only EPERM and EACCES mean that it was refused."""

    def __init__(self, text):
        self.whole = json.loads(text)
        self.environment = self.whole["environment"]
        self.mounts = self.whole["mounts"]
        self.uid = self.whole["uid"]
        self.files = {each["path"]: each for each in self.whole["files"]}
        self.devices = {each["path"]: each for each in self.whole["devices"]}

    def cards(self):
        """The minor numbers of the card nodes that it was given, sorted."""
        return sorted(each["minor"] for each in self.whole["devices"]
                      if each["major"] == CARD_MAJOR and each["minor"] < _CONTROL_MINOR)

    def may_open(self, path):
        """True when the node exists and opening it was not refused."""
        return path in self.devices and self.devices[path]["open"] not in _REFUSED

    def reachable_cards(self):
        """The minors of which a node that the container made itself could be opened, sorted.

        Only root can make one: for others this is an assertion error, not an empty list.
        """
        made = {int(minor): how for minor, how in self.whole["made"].items()}
        failed = [how for how in made.values() if how.startswith("mknod:")]
        assert not failed, f"no node could be made: {failed[0]}"
        return sorted(minor for minor, how in made.items()
                      if how not in _REFUSED and minor < _CONTROL_MINOR)


def _told(pod):
    """What a pod says of itself, for a failure report."""
    return f"{pod['metadata']['name']}: " + json.dumps(pod.get("status"))[:2500]


class NodeWorkspace(Workspace):
    """A namespace on a real node; `create` runs pods on it."""

    def __init__(self, cluster, name, node):
        super().__init__(cluster, name)
        self.node = node
        self._nudges = 0

    def create(self, built):
        """Creates a pod that runs on the node, with the probe in every container without image."""
        spec = built["spec"]
        spec.setdefault("nodeSelector", {})["kubernetes.io/hostname"] = self.node.name
        spec.setdefault("hostNetwork", True)
        spec.setdefault("automountServiceAccountToken", False)
        for container in spec["containers"] + spec.get("initContainers", []):
            if container["image"] == pods.NO_IMAGE:
                container["image"] = images.PROBE
            container.setdefault("imagePullPolicy", "Never")
        return self.api.post(self._pods, built)

    def node_of(self, name):
        """The real node of a pod; here all are on one."""
        del name
        return self.node

    def create_held(self, built):
        """Creates a pod and returns when it has its device IDs; it starts only after `let_go`.

        A volume holds it: the kubelet admits the pod, asks the device plugin for the IDs and then
        waits for a ConfigMap that `let_go` creates.
        """
        gate = f"gate-{built['metadata']['name']}"
        built["spec"]["volumes"] = [{"name": "gate", "configMap": {"name": gate}}]
        built["spec"]["containers"][0]["volumeMounts"] = [{"name": "gate", "mountPath": "/gate"}]
        uid = self.create(built)["metadata"]["uid"]
        until("the kubelet to have allocated", lambda: uid in [
            each["PodUID"] for each in self.node.kubelet.checkpoint()])
        return self.pod(built["metadata"]["name"])

    def let_go(self, name):
        """Lets a held pod start."""
        self.api.post(f"/api/v1/namespaces/{self.name}/configmaps", {
            "apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": f"gate-{name}"}})

    def container_status(self, name, container="main"):
        """The status of a container, of whatever kind it is; None before the kubelet wrote one."""
        status = self.pod(name).get("status") or {}
        for kind in ("containerStatuses", "initContainerStatuses", "ephemeralContainerStatuses"):
            for each in status.get(kind) or []:
                if each["name"] == container:
                    return each
        return None

    def in_phase(self, phase, names):
        """These pods, once all are in a phase; an assertion error says which is not. A pod that
        has ended stays ended (rejected by the kubelet, evicted), so to wait for another phase is
        in vain.
        """
        found = {each["metadata"]["name"]: each for each in self.pods()[0]}
        waiting = [found[name] for name in names if found[name]["status"].get("phase") != phase]
        ended = [each for each in waiting if each["status"].get("phase") in pods.ENDED]
        if ended:
            raise InVain(_told(ended[0]))
        assert not waiting, f"{len(waiting)} are not {phase}, {_told(waiting[0])}"
        return [found[name] for name in names]

    def wait_phase(self, phase, *names, timeout=40):
        """Waits until these pods are in a phase."""
        result = until(f"pods to be {phase}", lambda: self.in_phase(phase, names), timeout,
                       every=0.1)
        return result[0] if len(names) == 1 else result

    def wait_running(self, *names, timeout=40):
        """Waits until these pods run; returns them (one pod for one name)."""
        return self.wait_phase("Running", *names, timeout=timeout)

    def wait_waiting(self, name, reason, container="main", timeout=40):
        """Waits until a container waits for this reason; returns its message."""
        def waits():
            status = self.container_status(name, container)
            state = ((status or {}).get("state") or {}).get("waiting") or {}
            assert state.get("reason") == reason, f"its status is {status}"
            return state.get("message") or reason
        return until(f"{name}/{container} to wait for {reason}", waits, timeout)

    def nudge(self, name):
        """Changes the pod a little, so that the kubelet looks at it now.

        It looks at a waiting container (crashed, refused) only every twelve seconds or so.
        """
        self._nudges += 1
        self.patch_metadata(name, labels={"nudge": str(self._nudges)})

    def wait_restarts(self, name, count, container="main", timeout=40):
        """Waits until a container that ends again and again has been started `count` more times."""
        def restarted():
            status = self.container_status(name, container) or {}
            if status.get("restartCount", 0) >= count:
                return True
            self.nudge(name)
            return False
        until(f"{name}/{container} to have restarted {count} times", restarted, timeout, every=0.5)

    def report(self, name, container="main", start=-1):
        """The report of a container's start, by default of the latest."""
        pod, node = self.pod(name), self.node_of(name)

        def written():
            texts = node.logs(pod, container)
            return texts and texts[start].endswith("\n") and texts[start].splitlines()[0]
        return Report(until(f"the report of {name}/{container}", written, timeout=20))

    def starts(self, name, container="main"):
        """How many starts of a container the node keeps logs of."""
        return len(self.node_of(name).logs(self.pod(name), container))

    def execute(self, name, *command, container="main"):
        """Runs a command in a running container; returns its output without the line's end."""
        container_id = self.container_status(name, container)["containerID"].split("://")[1]
        return self.node_of(name).runtime.execute(container_id, *command)[1].strip()

    def granted(self, name):
        """The cards that the pod's record names: container -> sorted minor numbers of now.

        Init containers are in the record alone; for the others gpu-manager's annotation agrees.
        """
        pod = self.pod(name)
        annotations = pods.annotations_of(pod)
        minors = self.node_of(name).agent.minors()
        record = json.loads(annotations[pods.ALLOCATION])
        return {container: sorted(minors[card["uuid"]] for card in share["cards"])
                for container, share in record["containers"].items()}

    def delete_pods(self):
        """Deletes all pods as a user would and returns when the kubelet has let go of them."""
        self.api.delete(self._pods, grace=1 if self.node.box.running() else 0)
        until("the pods to be gone", lambda: not self.pods()[0], timeout=60)

    def clean(self):
        """Removes the pods; the node stays."""
        self.api.delete(f"/apis/batch/v1/namespaces/{self.name}/jobs",
                        propagationPolicy="Background")
        self.delete_pods()
