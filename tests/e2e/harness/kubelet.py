# SPDX-License-Identifier: Apache-2.0
"""A real kubelet in a box, registered with a control plane as a node."""
import base64
import http.client
import json

from . import binaries, kubeconfig, runtime
from .box import BoxProcess

_HEALTH_PORT = 10248
# What the kubelet keeps, inside the box. The device plugins' folder cannot be moved.
FOLDER = "/var/lib/kubelet"
POD_RESOURCES = f"{FOLDER}/pod-resources/kubelet.sock"
PLUGINS = f"{FOLDER}/device-plugins"
CHECKPOINT = f"{PLUGINS}/kubelet_internal_checkpoint"


def _configuration(plane, box, serving, more):
    return {
        "apiVersion": "kubelet.config.k8s.io/v1beta1", "kind": "KubeletConfiguration",
        "address": box.address, "healthzBindAddress": "127.0.0.1", "healthzPort": _HEALTH_PORT,
        "cgroupDriver": "cgroupfs", "cgroupRoot": f"/{box.cgroup}", "cgroupsPerQOS": True,
        "enforceNodeAllocatable": [], "failSwapOn": False, "failCgroupV1": False,
        "makeIPTablesUtilChains": False, "containerRuntimeEndpoint": f"unix://{runtime.SOCKET}",
        "authentication": {"anonymous": {"enabled": False}, "webhook": {"enabled": True},
                           "x509": {"clientCAFile": str(plane.authority.certificate)}},
        "authorization": {"mode": "Webhook"},
        "tlsCertFile": str(serving[0]), "tlsPrivateKeyFile": str(serving[1]),
        # Changes of allocatable are seen a second later instead of ten.
        "nodeStatusUpdateFrequency": "1s",
        "evictionHard": {"memory.available": "50Mi"},
        "imageGCHighThresholdPercent": 100, "imageGCLowThresholdPercent": 99,
        "serializeImagePulls": False, "resolvConf": "",
        "volumePluginDir": f"{FOLDER}/volume-plugins",
        # A container that ends is started again at once instead of after minutes.
        "featureGates": {"KubeletCrashLoopBackOffMax": True},
        "crashLoopBackOff": {"maxContainerRestartPeriod": "1s"},
        **more,
    }


class Kubelet:
    """One kubelet; `process` is killed and started by tests. `server` is the API server's URL;
    keyword arguments are more of its configuration."""

    def __init__(self, plane, box, server, **more):
        self._box = box
        user = f"kubelet-{box.name}"
        plane.add_user(user, f"system:node:{box.name}", "system:nodes")
        config = kubeconfig.write(box.folder / "kubelet.kubeconfig", server,
                                  plane.authority.certificate, plane.client_certificate(user))
        serving = plane.authority.issue(f"serving-{user}", user, hosts=(box.name, box.address))
        path = box.folder / "kubelet.yaml"
        path.write_text(json.dumps(_configuration(plane, box, serving, more)))
        self.process = BoxProcess(box, user, [
            binaries.program("kubelet", plane.minor), f"--config={path}", f"--kubeconfig={config}",
            f"--hostname-override={box.name}", f"--node-ip={box.address}", "--v=2"])

    def start(self):
        """Starts it and returns when it calls itself healthy; the container runtime must run."""
        self.process.start()
        self.process.wait_until("healthy", self.healthy, timeout=30)
        return self

    def checkpoint(self):
        """The devices that it has given out: a list of PodDevicesEntry as it keeps them."""
        path = self._box.path(CHECKPOINT)
        return json.loads(path.read_text())["Data"]["PodDeviceEntries"] or []

    def answer(self, pod, container, resource):
        """What the device plugin answered for a container: the message's bytes."""
        (found,) = [each["AllocResp"] for each in self.checkpoint()
                    if (each["PodUID"], each["ContainerName"], each["ResourceName"])
                    == (pod["metadata"]["uid"], container, resource)]
        return base64.b64decode(found)

    def healthy(self):
        """What its own health check says."""
        try:
            with self._box.connect(_HEALTH_PORT) as connected:
                answer = http.client.HTTPConnection("127.0.0.1")
                answer.sock = connected
                answer.request("GET", "/healthz")
                return answer.getresponse().status == 200
        except (OSError, http.client.HTTPException):
            return False
