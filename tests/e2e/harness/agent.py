# SPDX-License-Identifier: Apache-2.0
"""The real aliquot-agent in a box: beside the kubelet, as the chart's service account, and with no
more capabilities than docs/threat-model.md says that it needs.

    agent.set_state({...})        what has happened to the simulated machine (profiles/README.md)
    agent.configure(section={..}) changes its configuration from the next start on
    agent.process.kill(), agent.start(), agent.restart()
    agent.get("/grants"), agent.metric("aliquot_...", card="...")
"""
import http.client
import json
import os
import re
import shutil

import yaml

from . import chart, egress, images, kubeconfig
from .box import NODE_ADDRESS, BoxProcess
from .chart import NAMESPACE, ROOT
from .kubelet import PLUGINS
from .simulated_driver import LIBRARY

PROGRAM = ROOT / "out" / "bin" / "aliquot-agent"
PROFILES = ROOT / "profiles"
STATE = "/run/aliquot"  # where the grants are, inside the box
POD_RESOURCES_PROXY = "/run/pod-resources.sock"
_PORT = 8082


# The capabilities of its container; docs/threat-model.md justifies each.
CAPABILITIES = ("mknod", "chown", "fowner", "dac_override")
# Besides these where shares are held: to see which library a process has loaded, and to end one.
_HOLDING = ("sys_ptrace", "kill")


class Agent:
    """One agent on a real node. `profile` names a machine profile in profiles/.

    With a `driver` (simulated_driver.py) it sees the cards through NVML and hands out the enforcement
    library; otherwise it makes the cards up, and nothing is behind them.
    """

    def __init__(self, node, profile, mode="auto", driver=None):
        self.node = node
        self.profile = profile
        self._folder = node.box.folder
        self.state_file = self._folder / "machine-state.json"
        self.service_account = next(
            each["metadata"]["name"] for each in chart.of_kind(chart.render(), "ServiceAccount")
            if "agent" in each["metadata"]["name"])
        self.configuration = {
            "apiVersion": "aliquot.io/v1alpha1", "kind": "AgentConfiguration",
            "nodeName": node.name,
            "kubeconfig": str(self._folder / "agent.kubeconfig"),
            "gpu": self._cards(driver),
            "signing": {"publicKeys": str(node.cluster.allocator.public_key)},
            "kubelet": {"podResourcesSocket": POD_RESOURCES_PROXY},
            "listen": {"monitor": f"127.0.0.1:{_PORT}"}}
        self.configure(grant={"mode": mode, "orphanGrace": "2s"})
        self.user = f"system:serviceaccount:{NAMESPACE}:{self.service_account}"
        self._pod = f"aliquot-agent-on-{node.name}"
        config = self._folder / "agent.yaml"
        capabilities = CAPABILITIES + (_HOLDING if driver else ())
        self._verify_port = 0
        if driver:
            self._verify_port = egress.free_port()
            self.configure(library={"path": str(LIBRARY)}, listen={
                "authenticated": f"{NODE_ADDRESS}:{self._verify_port}"})
        self.process = BoxProcess(node.box, f"agent-{node.name}", [
            "setpriv", "--bounding-set=-all," + ",".join(f"+{each}" for each in capabilities),
            "--inh-caps=-all", "--no-new-privs", PROGRAM, f"--config={config}"],
            {**os.environ, **driver.environment} if driver else None)

    def _cards(self, driver):
        """The section `gpu` of its configuration."""
        if driver:
            return {"backend": "nvml", "library": str(driver.nvml), "deviceRoot": "/dev",
                    "driverRoot": str(driver.root()), "healthyAfter": "1s"}
        return {"backend": "simulated", "profile": str(PROFILES / f"{self.profile}.yaml"),
                "state": str(self.state_file), "driverRoot": str(self._driver_root()),
                "healthyAfter": "1s"}

    def _driver_root(self):
        """A directory with the files that a driver installs, as far as a container needs them."""
        root = self._folder / "driver-root"
        libraries = root / "usr" / "lib" / f"{os.uname().machine}-linux-gnu"
        libraries.mkdir(parents=True, exist_ok=True)
        version = yaml.safe_load((PROFILES / f"{self.profile}.yaml").read_text())["driver"]
        for name in ("libcuda", "libnvidia-ml", "libnvidia-ptxjitcompiler"):
            # An ELF file of this machine is all that a library is looked at for.
            shutil.copyfile(images.program(self.node.cluster.folder),
                            libraries / f"{name}.so.{version}")
        return root

    def configure(self, **sections):
        """Merges into the sections of its configuration; effective at the next start."""
        for name, section in sections.items():
            self.configuration[name] = {**self.configuration.get(name, {}), **section}

    def set_state(self, state):
        """Replaces what has happened to the simulated machine, at once and as a whole."""
        written = self.state_file.with_suffix(".new")
        written.write_text(json.dumps(state))
        written.rename(self.state_file)

    def minors(self):
        """The minor number of every card by its UUID, as the node's inventory has them now."""
        inventory = json.loads(self.node.object()["metadata"]["annotations"][
            "aliquot.io/gpu-inventory"])
        return {card[0]: card[1] for card in inventory["cards"]}

    def _write_token(self):
        """A token as the kubelet would mount it: bound to a pod on the node, so it names the node.

        The pod only lends its identity and its address; the program runs as the test's own child.
        """
        api = self.node.api
        path = f"/api/v1/namespaces/{NAMESPACE}/pods"
        pod = api.exists(f"{path}/{self._pod}") or api.post(path, {
            "apiVersion": "v1", "kind": "Pod", "metadata": {
                "name": self._pod, "labels": {"app.kubernetes.io/name": "aliquot-agent",
                                              "app.kubernetes.io/component": "agent"}},
            "spec": {"nodeName": self.node.name, "serviceAccountName": self.service_account,
                     "automountServiceAccountToken": False, "hostNetwork": True,
                     "tolerations": [{"operator": "Exists"}],
                     "containers": [{"name": "identity", "image": images.PAUSE,
                                     "imagePullPolicy": "Never", "ports": self._ports()}]}})
        answer = api.post(
            f"/api/v1/namespaces/{NAMESPACE}/serviceaccounts/{self.service_account}/token", {
                "apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest",
                "spec": {"expirationSeconds": 3600, "boundObjectRef": {
                    "apiVersion": "v1", "kind": "Pod", "name": self._pod,
                    "uid": pod["metadata"]["uid"]}}})
        token = self._folder / "agent.token"
        token.write_text(answer["status"]["token"])
        token.chmod(0o600)
        return token

    def forget(self):
        """Removes the pod that lent it its identity: the node is gone for good."""
        path = f"/api/v1/namespaces/{NAMESPACE}/pods/{self._pod}"
        if self.node.api.exists(path):
            self.node.api.delete(path, grace=0)

    def _ports(self):
        return [{"name": "authenticated", "containerPort": self._verify_port}
                ] if self._verify_port else []

    def client(self):
        """An API client with the agent's own token, for tests of its rights."""
        return self.node.cluster.plane.client_with_token(
            (self._folder / "agent.token").read_text())

    def start(self, wait=True):
        """Starts it and, unless told otherwise, returns when it is ready."""
        if self.node.cluster.plane.apiserver.running():
            kubeconfig.write(self._folder / "agent.kubeconfig",
                             f"https://{self.node.api_of_agent.address}",
                             self.node.cluster.plane.authority.certificate,
                             token_file=self._write_token())
        if self._verify_port:
            self.node.cluster.plane.egress.serve(self._verify_port, self.node.box)
        (self._folder / "agent.yaml").write_text(json.dumps(self.configuration))
        self.process.start()
        if wait:
            self.wait_ready()
        return self

    def wait_ready(self):
        """Returns when it is ready: registered, inventory published, pods known."""
        self.process.wait_until("ready", self.ready, timeout=30)

    def restart(self, wait=True):
        """Ends it as an upgrade would and starts it anew."""
        status = self.process.stop()
        assert status == 0, f"after SIGTERM the agent ended with {status}"
        return self.start(wait)

    def ready(self):
        """What its readiness says."""
        return self.get("/readyz")[0] == 200

    def registered(self):
        """True when the kubelet listens to its devices, whatever else it still waits for. The node
        object may tell of devices of a kubelet, or an agent, that is no more.
        """
        status, text = self.get("/readyz")
        return status != 0 and "the kubelet does not listen" not in text

    def sockets(self):
        """The names of its device plugins' sockets: others each time it registers."""
        return {each.name for each in self.node.box.path(PLUGINS).glob("aliquot-*.sock")}

    def get(self, path):
        """(status, text) of a page of its monitor; (0, "") while it does not listen."""
        try:
            with self.node.box.connect(_PORT) as connected:
                connection = http.client.HTTPConnection("127.0.0.1")
                connection.sock = connected
                connection.request("GET", path)
                answer = connection.getresponse()
                return answer.status, answer.read().decode()
        except (OSError, http.client.HTTPException):
            return 0, ""

    def grants(self):
        """What /grants lists."""
        status, text = self.get("/grants")
        assert status == 200, f"/grants answered {status}: {text}"
        return json.loads(text)

    def grants_on_disk(self):
        """The names of the grants that lie under the state directory."""
        folder = self.node.box.path(f"{STATE}/grants")
        return sorted(each.name for each in folder.iterdir()) if folder.exists() else []

    def metric(self, name, **labels):
        """The sum of a metric's series that carry these labels."""
        status, text = self.get("/metrics")
        assert status == 200, f"/metrics answered {status}"
        total, found = 0.0, False
        for written, value in re.findall(rf"^{name}(?:\{{(.*?)\}})? (\S+)$", text, re.MULTILINE):
            series = dict(re.findall(r'(\w+)="(.*?)"', written))
            if all(series.get(key) == wanted for key, wanted in labels.items()):
                total, found = total + float(value), True
        assert found or f"# TYPE {name} " in text, f"there is no metric {name}"
        return total
