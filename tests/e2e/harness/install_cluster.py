# SPDX-License-Identifier: Apache-2.0
"""A whole cluster in boxes, on which a chart is installed for real: control plane, kube-proxy, one
node or two with kubelet and containerd, pod network, Services, and the real helm.

    cluster = InstallCluster(folder, OLDEST).start()
    cluster.helm("install", "aliquot", chart, "--namespace=aliquot-system", "--create-namespace")
    cluster.kubectl("get", "pods", "-A")
    cluster.run([program, ...])            a program of the machine, inside, as an administrator

Nothing of it is reachable from outside the boxes, and nothing outside from it.
"""
import json
import pathlib
import shutil

from . import binaries, images, pods
from .addresses import IPV4
from .api import ApiError
from .box import Box, BoxProcess
from .boxed_plane import BoxedPlane
from .kubelet import Kubelet
from .kubeconfig import write as write_kubeconfig
from .runtime import NEW, Runtime
from .waiting import until


def _pod_network(pods):
    return json.dumps({"cniVersion": "1.0.0", "name": "pods", "plugins": [{
        "type": "bridge", "bridge": "pods0", "isGateway": True, "isDefaultGateway": True,
        "ipMasq": False, "hairpinMode": True,
        "ipam": {"type": "host-local", "ranges": [[{"subnet": pods}]], "dataDir": "/run/cni/ipam"}}]})


class Node:
    """One node: a box with containerd, kubelet and kube-proxy."""

    def __init__(self, cluster, number, driver=None):
        addresses = cluster.addresses
        self.cluster, self.name = cluster, f"node-{'ab'[number]}"
        self.pods, self.driver = addresses.node_pods[number], driver
        self.box = Box(cluster.folder / f"node-{self.name}", self.name,
                       driver.device_nodes() if driver else (), addresses.nodes[number],
                       addresses.nodes[1 - number])
        self.runtime = Runtime(self.box, NEW, _pod_network(self.pods))
        self.kubelet = self.proxy = None

    def boot(self):
        """Starts the box alone."""
        self.box.start()
        if self.driver:
            self.driver.boot(self.box)
        # Pods reach each other, other nodes and Services through it.
        self.box.run(["sysctl", "-qw", f"{self.cluster.addresses.forwarding}=1"])
        return self

    def join(self):
        """Starts the node's programs and returns when it is ready."""
        plane, addresses = self.cluster.plane, self.cluster.addresses
        self.runtime.start()
        for archive, one in self.cluster.archives:
            self.runtime.import_images(archive, one)
        self.kubelet = Kubelet(plane, self.box, plane.server,
                               clusterDNS=[addresses.dns_service], clusterDomain="cluster.local",
                               # A changed ConfigMap is in its pods seconds later instead of a minute.
                               syncFrequency="3s", registerWithTaints=[])
        self.kubelet.start()
        self.proxy = self._kube_proxy(plane)
        self.proxy.start()
        until(f"node {self.name} to be ready", self.ready, timeout=40)
        return self

    def ready(self):
        """What the API says of it."""
        found = self.cluster.api.exists(f"/api/v1/nodes/{self.name}") or {}
        return any(each["type"] == "Ready" and each["status"] == "True"
                   for each in (found.get("status") or {}).get("conditions") or [])

    def object(self):
        """The Node object as it is now."""
        return self.cluster.api.get(f"/api/v1/nodes/{self.name}")

    def cards(self):
        """UUID -> minor number of the cards that it offers: as published by its agent, and known to
        the kubelet."""
        found = self.object()
        text = pods.annotations_of(found).get("aliquot.io/gpu-inventory")
        cards = json.loads(text)["cards"] if text else []
        offered = int(found["status"]["allocatable"].get(pods.CORE, "0"))
        usable = [each for each in cards if each[7] == "ok"]
        assert offered == 100 * len(usable), f"it has {len(usable)} cards and offers {offered}"
        return {each[0]: each[1] for each in cards}

    @property
    def agent(self):
        """What tests of nodes ask an agent, answered from the API."""
        return self

    minors = cards

    def logs(self, pod, container):
        """All output of a pod's container, oldest start first."""
        return self.box.pod_logs(pod, container)

    def _kube_proxy(self, plane):
        path = self.box.folder / "kube-proxy.yaml"
        path.write_text(json.dumps({
            "apiVersion": "kubeproxy.config.k8s.io/v1alpha1", "kind": "KubeProxyConfiguration",
            "mode": "iptables", "clusterCIDR": self.cluster.addresses.pods,
            "bindAddress": self.box.address,
            "healthzBindAddress": "127.0.0.1:10256", "metricsBindAddress": "127.0.0.1:10249",
            "clientConnection": {"kubeconfig": str(plane.kubeconfig("proxy"))},
            "hostnameOverride": self.name,
            # These would be set for the whole machine, which they do not concern.
            "conntrack": {"maxPerCore": 0, "min": 0}, "iptables": {"localhostNodePorts": False}}))
        return BoxProcess(self.box, f"kube-proxy-{self.name}", [
            binaries.program("kube-proxy"), f"--config={path}", f"--hostname-override={self.name}"])

    def processes(self):
        """The node's programs."""
        return [self.runtime.process] + [each for each in (
            self.kubelet and self.kubelet.process, self.proxy) if each]


class InstallCluster:
    """One cluster. `archives` are container images for its nodes: (archive, one of its names). With
    a `driver`, one of simulated_driver.py, its one node has cards that containers can use."""

    # pylint: disable=too-many-arguments
    def __init__(self, folder, minor, nodes=1, archives=(), addresses=IPV4, driver=None):
        self.folder = pathlib.Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.minor = minor
        self.archives = [(images.write_archive(self.folder), images.PROBE), *archives]
        self.addresses = addresses
        self.nodes = [Node(self, number, driver) for number in range(nodes)]
        self.plane = self.api = None

    @property
    def box(self):
        """The first node's, in which the control plane is."""
        return self.nodes[0].box

    def start(self):
        """Boots everything; call from the main thread, see Box.start."""
        for node in self.nodes:
            node.boot()
        if len(self.nodes) > 1:
            self._connect(*self.nodes)
        self.plane = BoxedPlane(self.box, self.folder, self.minor, self.addresses).start()
        self.api = self.plane.api
        for node in self.nodes:
            node.join()
        until("the default service account",
              lambda: self.api.exists("/api/v1/namespaces/default/serviceaccounts/default"))
        return self

    @staticmethod
    def _connect(first, second):
        first.box.join(second.box)
        for node, other in ((first, second), (second, first)):
            node.box.run(["ip", "route", "add", other.pods, "via", other.box.address])

    def node(self, name):
        """A node by its name."""
        return next(each for each in self.nodes if each.name == name)

    def ensure_service_account(self, namespace):
        """Makes the namespace's default service account instead of waiting for the controller."""
        try:
            self.api.post(f"/api/v1/namespaces/{namespace}/serviceaccounts", {
                "apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "default"}})
        except ApiError as error:
            if error.code != 409:
                raise

    def run(self, arguments, **options):
        """Runs a program inside the first node's box, as a cluster administrator."""
        environment = {"PATH": f"{binaries.folder('kubernetes-1.34')}:/usr/sbin:/usr/bin:/sbin:/bin",
                       "HOME": str(self.folder),
                       "KUBECONFIG": str(self.plane.kubeconfig("admin")),
                       **options.pop("environment", {})}
        return self.box.run(arguments, environment=environment, **options)

    def helm(self, *arguments, timeout=120, check=True):
        """Runs helm; returns (exit status, output with errors)."""
        return self.run([binaries.program("helm"), *arguments], timeout=timeout, check=check)

    def kubectl(self, *arguments, **options):
        """Runs kubectl; returns (exit status, output with errors)."""
        return self.run([binaries.program("kubectl"), *arguments], **options)

    def listed(self, *arguments):
        """What `kubectl get ARGUMENTS -o json` lists; warnings do not get into it."""
        path = self.folder / "listed.json"
        self.run(["bash", "-c", 'exec kubectl get "$@" -o json >"$0"', path, *arguments])
        return json.loads(path.read_text())["items"]

    def user_kubeconfig(self, name, token):
        """A kubeconfig of the owner of a token, for programs in the box."""
        token_file = self.folder / f"{name}.token"
        token_file.write_text(token)
        return write_kubeconfig(self.folder / f"{name}.kubeconfig", self.plane.server,
                                self.plane.authority.certificate, token_file=token_file)

    def processes(self):
        """All programs outside of pods."""
        return (self.plane.processes() if self.plane else []) + [
            process for node in self.nodes for process in node.processes()]

    def stop(self):
        """Ends everything at once and removes its files, logs excepted."""
        for node in reversed(self.nodes):
            node.box.stop()
            for process in node.processes():
                process.kill()
            shutil.rmtree(node.box.folder, ignore_errors=True)
        for process in self.plane.processes() if self.plane else []:
            process.kill()
