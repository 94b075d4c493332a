# SPDX-License-Identifier: Apache-2.0
"""The chart, installed with the real helm on an InstallCluster.

    installation = Installation(cluster)
    installation.install()                     default values, and cards to simulate
    installation.upgrade(agent={"tolerations": [...]})
    installation.rollback(); installation.test(); installation.uninstall()

Each returns when everything is in place, as a person would wait for it: `helm --wait`, the agents'
rollout (which helm does not wait for), and cards on every node.
"""
import json
import shutil

from . import images, pods
from .api import STRATEGIC_PATCH, ApiError
from .chart import CHART, NAMESPACE, ROOT
from .simulated_driver import SimulatedDriver
from .waiting import until

RELEASE = "aliquot"
PROFILE = "t4x4"
# What simulated cards need besides the default values: a machine to simulate, and a folder of the
# node with what a driver's installation would put there.
DRIVER_ROOT = "/var/lib/test-driver"
SIMULATED = {"agent": {"driverRoot": DRIVER_ROOT, "config": {"gpu": {
    "backend": "simulated", "profile": f"/usr/share/aliquot/profiles/{PROFILE}.yaml"}}}}
# Where containers can use the cards (Node.driver) the agent finds them as it does by default.
DRIVEN = {"agent": {"driverRoot": DRIVER_ROOT}}
PROBE_ON_NODE = "/usr/bin/probe"  # below the driver's root
_DRIVER_VERSION = "535.183.01"


def merged(first, second):
    """`first` with what `second` says in its place, at every depth, as helm merges values."""
    if not (isinstance(first, dict) and isinstance(second, dict)):
        return second
    return {**first, **{key: merged(first[key], value) if key in first else value
                        for key, value in second.items()}}


def prepare_node(node, folder):
    """Puts onto a node what the installation of a driver would, as far as a container needs it."""
    libraries = node.box.path(f"{DRIVER_ROOT}/usr/lib/x86_64-linux-gnu")
    if node.driver:
        shutil.copytree(node.driver.root(), node.box.path(DRIVER_ROOT))
        # NVML by the name under which a driver's installation makes it known.
        (library,) = libraries.glob("libnvidia-ml.so.*")
        (libraries / "libnvidia-ml.so.1").symlink_to(library.name)
        # And a program by which a test sees what the agent's container may do.
        probe = node.box.path(f"{DRIVER_ROOT}{PROBE_ON_NODE}")
        probe.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(images.program(folder), probe)
        return
    libraries.mkdir(parents=True, exist_ok=True)
    # An ELF file of this machine is all that a library is looked at for.
    content = images.program(folder).read_bytes()
    for name in ("libcuda", "libnvidia-ml", "libnvidia-ptxjitcompiler"):
        (libraries / f"{name}.so.{_DRIVER_VERSION}").write_bytes(content)


class Installation:
    """One release of the chart. `values` are added to those of every call."""

    def __init__(self, cluster, values=None, namespace=NAMESPACE, chart=CHART):
        self.cluster, self.api, self.namespace = cluster, cluster.api, namespace
        driver = cluster.nodes[0].driver
        self._values = merged(DRIVEN if driver else SIMULATED, values or {})
        self._chart = str(chart)

    def _write(self, values):
        path = self.cluster.folder / "values.json"
        path.write_text(json.dumps(merged(self._values, values)))
        return path

    def try_install(self, release=RELEASE, namespace=None, **values):
        """helm install alone; returns (exit status, output)."""
        return self.cluster.helm(
            "install", release, self._chart, f"--namespace={namespace or self.namespace}",
            "--create-namespace", f"--values={self._write(values)}", "--wait", "--timeout=90s",
            check=False)

    def install(self, **values):
        """Installs; returns what helm printed."""
        text = self.place(**values)
        self.wait_in_place()
        return text

    def place(self, **values):
        """Installs, as far as helm waits; returns what helm printed."""
        for node in self.cluster.nodes:
            prepare_node(node, self.cluster.folder)
        status, text = self.try_install(**values)
        assert status == 0, f"helm install failed: {text}\n{self.told()}"
        if self.cluster.nodes[0].driver:
            self._show_agent_the_world()
        return text

    def _show_agent_the_world(self):
        """What a real driver keeps in the kernel is a file here, which the agent's pod has to map."""
        template = SimulatedDriver.use({"spec": {"containers": [{"name": "agent", "image": ""}]}})
        del template["spec"]["containers"][0]["image"]
        self.api.patch(f"/apis/apps/v1/namespaces/{self.namespace}/daemonsets/aliquot-agent",
                       {"spec": {"template": template}}, content_type=STRATEGIC_PATCH)

    def upgrade(self, **values):
        """Upgrades to these values; returns what helm printed."""
        status, text = self.cluster.helm(
            "upgrade", RELEASE, self._chart, f"--namespace={self.namespace}",
            f"--values={self._write(values)}", "--wait", "--timeout=90s", check=False)
        assert status == 0, f"helm upgrade failed: {text}\n{self.told()}"
        self.wait_in_place()
        return text

    def rollback(self):
        """Goes back to the values and images before the last upgrade."""
        status, text = self.cluster.helm("rollback", RELEASE, f"--namespace={self.namespace}",
                                         "--wait", "--timeout=90s", check=False)
        assert status == 0, f"helm rollback failed: {text}\n{self.told()}"
        self.wait_in_place()

    def test(self):
        """helm test; returns (exit status, output, with what the test's pod says)."""
        return self.cluster.helm("test", RELEASE, f"--namespace={self.namespace}", "--logs",
                                 "--timeout=60s", check=False)

    def aliquotctl(self, *arguments, **options):
        """Runs aliquotctl in the cluster's network, as an administrator; (exit status, output)."""
        return self.cluster.run([ROOT / "out" / "bin" / "aliquotctl", *arguments], **options)

    def check_doctor(self):
        """Fails with what `aliquotctl doctor` finds, or could not look at."""
        status, text = self.aliquotctl("doctor", "--output=json", check=False)
        assert status == 0, text
        found = [each for each in json.loads(text)["findings"] if each["result"] != "ok"]
        # The control plane is not in pods here, so nobody can see what its environment says of a proxy.
        found = [each for each in found if (each["check"], each["result"]) != ("proxy", "unknown")]
        assert not found, found

    def use_stock_scheduler(self):
        """Configures the cluster's own kube-scheduler as `aliquotctl scheduler-config` says."""
        stanza = self.cluster.folder / "stanza.yaml"
        self.aliquotctl("scheduler-config", "--stanza", f"--output={stanza}")
        plane = self.cluster.plane
        plane.configure_scheduler(stanza.read_text())
        plane.scheduler.kill()
        plane.scheduler.start()

    def uninstall(self):
        """Removes the release; the namespace stays."""
        self.cluster.helm("uninstall", RELEASE, f"--namespace={self.namespace}", "--wait",
                          "--timeout=60s")

    def wait_in_place(self):
        """Returns when agents are of the last version, cards are offered and pods are admitted."""
        if self.api.exists(f"/apis/apps/v1/namespaces/{self.namespace}/daemonsets/aliquot-agent"):
            self._kubectl("rollout", "status", "daemonset/aliquot-agent", "--timeout=60s")
            for node in self.cluster.nodes:
                until(f"{node.name} to offer its cards", lambda at=node: at.cards(), timeout=40)
        until("GPU pods to pass through the webhook", self.admits, timeout=30)

    def _kubectl(self, *arguments):
        status, text = self.cluster.kubectl(f"--namespace={self.namespace}", *arguments,
                                            timeout=90, check=False)
        assert status == 0, f"{text}\n{self.told()}"
        return text

    def admits(self):
        """True when a GPU pod would be let in now, and completed."""
        try:
            answer = self.api.post("/api/v1/namespaces/default/pods", pods.share("asks"),
                                   dryRun="All")
        except ApiError as error:
            raise AssertionError(str(error)) from error
        return (answer["metadata"].get("labels") or {}).get(pods.GPU_LABEL) == "true"

    def pods_of(self, component):
        """The pods of allocator, agent or scheduler."""
        return self.api.get(f"/api/v1/namespaces/{self.namespace}/pods", labelSelector=(
            f"app.kubernetes.io/component={component}"))["items"]

    def pod_of(self, component):
        """The one pod of a component that is not about to end."""
        living = [each for each in self.pods_of(component)
                  if "deletionTimestamp" not in each["metadata"]]
        assert len(living) == 1, f"there are {len(living)} pods of {component}"
        return living[0]

    def secret(self, name):
        """A Secret's data, still encoded."""
        return self.api.get(f"/api/v1/namespaces/{self.namespace}/secrets/{name}").get("data") or {}

    def told(self):
        """What the release's pods, events and logs say, for a failure report."""
        space = f"--namespace={self.namespace}"
        parts = [self.cluster.kubectl(space, *words, check=False)[1] for words in (
            ("get", "pods,services,daemonsets", "-o", "wide"),
            ("get", "events", "--sort-by=.lastTimestamp"))]
        parts += [self.cluster.kubectl(
            space, "logs", f"--selector=app.kubernetes.io/component={component}",
            "--all-containers", "--tail=15", check=False)[1][-2500:]
                  for component in ("allocator", "agent", "scheduler")]
        return "\n".join(parts)
