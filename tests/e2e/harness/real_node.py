# SPDX-License-Identifier: Apache-2.0
"""A real node on one machine: a box with containerd, kubelet and (when wanted) our agent.

    node.runtime.process, node.kubelet.process   kill() and start() them at will
    node.stop_runtime() ... node.start_kubelet() the same with waiting until each is of use again
    node.reboot()                                everything ends, /run is empty, everything starts
    node.api_of_kubelet, node.api_of_agent       block() and unblock() the way to the API server
    node.pod_resources                           the same, and hold(), between agent and PodResources
    node.agent                                   see agent.py; None on a node without one
    node.driver                                  see simulated_driver.py; None on a node without one
    node.runtime.execute(container_id, "probe", "open", "/dev/nvidia3")

Running containers outlive a kill of agent, kubelet or containerd, as on any node.
"""
import shutil

from . import images, kubelet, runtime, simulated_driver
from .agent import POD_RESOURCES_PROXY, Agent
from .box import Box
from .proxy import CuttingProxy
from .simulated_driver import SimulatedDriver
from .waiting import until


class RealNode:
    """One node. Start and reboot it from the main thread; see Box.start."""

    # pylint: disable=too-many-arguments
    def __init__(self, cluster, name, archive, runtime_kind=runtime.NEW, profile=None,
                 mode="auto", cards=0):
        self.cluster = cluster
        self.api = cluster.api
        self.name = name
        folder = cluster.folder / f"node-{name}"
        # With `cards` a simulated driver shows so many of the profile's cards.
        self.driver = SimulatedDriver(folder / "driver", profile, cards) if cards else None
        self.box = Box(folder, name, self.driver.device_nodes() if self.driver else ())
        self.runtime = runtime.Runtime(self.box, runtime_kind)
        self.kubelet = None
        self.api_of_kubelet = self.api_of_agent = self.pod_resources = None
        # `profile` names the machine profile of the agent's cards.
        self.agent = Agent(self, profile, mode, self.driver) if profile else None
        self._archive = archive

    @property
    def path(self):
        """The node's path in the API."""
        return f"/api/v1/nodes/{self.name}"

    def start(self, agent_first=False):
        """Boots the machine and returns when the node is ready for pods.

        With `agent_first` the agent waits for the kubelet, so that it has registered before the
        kubelet knows any pod; otherwise the kubelet rejects those that had devices before the boot.
        """
        plane = self.cluster.plane
        self.box.start()
        # The way to the API server leads out of the box: once for each of the two who use it, so
        # that a test can cut either.
        target = ("127.0.0.1", plane.port)
        self.api_of_kubelet = CuttingProxy(target, self.box.listen())
        self.api_of_agent = CuttingProxy(target, self.box.listen())
        self.pod_resources = CuttingProxy(self.box.path(kubelet.POD_RESOURCES),
                                          self.box.listen_at(POD_RESOURCES_PROXY))
        self.start_runtime()
        self.runtime.import_images(self._archive)
        if self.driver is not None:
            self.driver.boot(self.box)
            self.runtime.import_images(images.write_programs_archive(
                self.cluster.folder, simulated_driver.files()), images.PROGRAMS)
        self.kubelet = kubelet.Kubelet(plane, self.box, f"https://{self.api_of_kubelet.address}")
        if agent_first:
            self.agent.start(wait=False)
        self.start_kubelet()
        if agent_first:
            self.agent.wait_ready()
        elif self.agent is not None:
            self.agent.start()
        return self

    def start_runtime(self):
        """Starts containerd and waits for it."""
        self.runtime.start()

    def start_kubelet(self):
        """Starts the kubelet and waits until the node is ready by a word that is its own, and until
        it listens to an agent that runs: it fails for good what is bound earlier.
        """
        agent = self.agent if self.agent is not None and self.agent.process.running() else None
        before, sockets = self._ready_since(), agent.sockets() if agent else set()
        self.kubelet.start()
        until(f"node {self.name} to be ready", lambda: self._ready_since() > before, timeout=30)
        if agent:
            until("the agent to be registered with this kubelet",
                  lambda: agent.registered() and not agent.sockets() & sockets, timeout=30)

    def _ready_since(self):
        """When the kubelet last said that the node is ready; "" when it is not."""
        found = self.api.exists(self.path)
        for condition in ((found or {}).get("status") or {}).get("conditions") or []:
            if condition["type"] == "Ready" and condition["status"] == "True":
                return condition["lastHeartbeatTime"]
        return ""

    def reboot(self):
        """Ends all at once and boots anew: what lies in /run and /dev is gone, disks stay."""
        self.power_off()
        return self.start()

    def power_off(self):
        """Ends everything on the node at once."""
        self.box.stop()
        for process in self.processes():
            process.kill()
        for way in self._ways():
            if way is not None:
                way.close()

    def _ways(self):
        return (self.api_of_kubelet, self.api_of_agent, self.pod_resources)

    def restore(self):
        """Brings back what a test took away: programs, and the ways between them."""
        for way in self._ways():
            way.unblock()
        if not self.runtime.process.running():
            self.start_runtime()
        if not self.kubelet.process.running():
            self.start_kubelet()
        if self.agent is not None and not self.agent.process.running():
            self.agent.start()

    def stop(self):
        """Ends the node for good: its files and its objects in the API go too."""
        self.power_off()
        if self.cluster.plane.apiserver.running():
            self.api.delete("/api/v1/nodes", fieldSelector=f"metadata.name={self.name}")
            if self.agent is not None:
                self.agent.forget()
        shutil.rmtree(self.box.folder, ignore_errors=True)

    def processes(self):
        """The node's programs."""
        found = [self.runtime.process]
        if self.kubelet is not None:
            found.append(self.kubelet.process)
        if self.agent is not None:
            found.append(self.agent.process)
        return found

    def object(self):
        """The Node object as it is now."""
        return self.api.get(self.path)

    def runtime_version(self):
        """What the kubelet says of the container runtime, "containerd://2.1.9"."""
        return self.object()["status"]["nodeInfo"]["containerRuntimeVersion"]

    def allocatable(self, resource):
        """How much of a resource the node offers now."""
        return int(self.object()["status"]["allocatable"].get(resource, "0"))

    def logs(self, pod, container):
        """All output of a pod's container, oldest start first: a list of texts, one a start."""
        return self.box.pod_logs(pod, container)
