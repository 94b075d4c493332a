# SPDX-License-Identifier: Apache-2.0
"""containerd and runc in a box.

    NEW  the containerd that is built from its module, with CDI
    OLD  Debian's own, the oldest that is supported, without CDI
"""
import os
import subprocess

from . import binaries, images
from .box import BoxProcess

NEW = "containerd"
OLD = "debian-containerd"

SOCKET = "/run/containerd/containerd.sock"

# A conflist must exist, or the node never becomes ready; where the pods of the suite share the box's
# network, none is ever set up.
_NO_NETWORK = """{"cniVersion":"1.0.0","name":"none-used","plugins":[{"type":"bridge"}]}"""

_COMMON = """
root = "/var/lib/containerd"
state = "/run/containerd"
disabled_plugins = [{disabled}]
[grpc]
address = "{socket}"
[ttrpc]
address = "{socket}.ttrpc"
[plugins."io.containerd.internal.v1.opt"]
path = "/var/lib/containerd/opt"
"""
_NEW = """version = 3
""" + _COMMON + """
[plugins."io.containerd.cri.v1.images"]
snapshotter = "{snapshotter}"
[plugins."io.containerd.cri.v1.images".pinned_images]
sandbox = "{pause}"
[plugins."io.containerd.cri.v1.runtime"]
restrict_oom_score_adj = true
enable_cdi = true
cdi_spec_dirs = ["/etc/cdi", "/var/run/cdi"]
[plugins."io.containerd.cri.v1.runtime".cni]
bin_dirs = ["{cni}"]
conf_dir = "/run/cni/net.d"
[plugins."io.containerd.cri.v1.runtime".containerd.runtimes.runc]
runtime_type = "io.containerd.runc.v2"
[plugins."io.containerd.cri.v1.runtime".containerd.runtimes.runc.options]
BinaryName = "{runc}"
SystemdCgroup = false
[plugins."io.containerd.grpc.v1.cri"]
stream_server_address = "127.0.0.1"
stream_server_port = "0"
"""
_OLD = """version = 2
""" + _COMMON + """
[plugins."io.containerd.grpc.v1.cri"]
sandbox_image = "{pause}"
restrict_oom_score_adj = true
stream_server_address = "127.0.0.1"
stream_server_port = "0"
[plugins."io.containerd.grpc.v1.cri".cni]
bin_dir = "{cni}"
conf_dir = "/run/cni/net.d"
[plugins."io.containerd.grpc.v1.cri".containerd]
snapshotter = "{snapshotter}"
[plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
runtime_type = "io.containerd.runc.v2"
[plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]
BinaryName = "{runc}"
SystemdCgroup = false
"""


def _snapshotter(folder):
    """Overlays do not lie on overlays: on a machine that is itself a container, layers are copied.

    The images are small.
    """
    kind = subprocess.run(["stat", "--file-system", "--format=%T", str(folder)], check=True,
                          text=True, stdout=subprocess.PIPE).stdout.strip()
    return "native" if kind == "overlayfs" else "overlayfs"


class Runtime:
    """One containerd; `kind` is NEW or OLD. `process` is killed and started by tests. `network` is
    the CNI conflist of its pods."""

    def __init__(self, box, kind, network=_NO_NETWORK):
        self.kind = kind
        self._network = network
        self.has_cdi = kind == NEW
        self._box = box
        self._folder = binaries.folder(kind)
        self._snapshotter = _snapshotter(box.folder)
        runc = binaries.folder("runc") / "runc" if kind == NEW else self._folder / "runc"
        configuration = box.folder / "containerd.toml"
        plugins = ("btrfs", "devmapper", "zfs", "erofs", "blockfile")
        configuration.write_text((_NEW if kind == NEW else _OLD).format(
            socket=SOCKET, cni=self._cni(network), pause=images.PAUSE, runc=runc, snapshotter=self._snapshotter, disabled=", ".join(
                f'"io.containerd.snapshotter.v1.{each}"' for each in plugins)
            + (', "io.containerd.nri.v1.nri"' if kind == NEW else "")))
        self._environment = {"PATH": f"{self._folder}:{os.environ['PATH']}"}
        self.process = BoxProcess(box, f"containerd-{box.name}", [
            self._folder / "containerd", f"--config={configuration}", "--log-level=info"],
            self._environment)

    @staticmethod
    def _cni(network):
        """The folder of the CNI plugins; nobody looks into it where no pod has a network."""
        return "/run/cni/bin" if network == _NO_NETWORK else binaries.folder("cni")

    def start(self):
        """Starts it and returns when it answers."""
        network = self._box.path("/run/cni/net.d")
        network.mkdir(parents=True, exist_ok=True)
        (network / "10-test.conflist").write_text(self._network)
        self.process.start()
        self.process.wait_until("answering", self._answers, timeout=20)
        return self

    def _answers(self):
        return (self._box.path(SOCKET).exists()
                and self.ctr("version", check=False)[0] == 0)

    def ctr(self, *arguments, check=True, timeout=30):
        """Runs containerd's own client among the kubelet's containers."""
        return self._box.run([self._folder / "ctr", f"--address={SOCKET}", "--namespace=k8s.io",
                              *arguments], environment=self._environment, check=check,
                             timeout=timeout)

    def import_images(self, archive, one=images.PROBE):
        """Makes the suite's images known, unless `one` of them is."""
        if one not in self.ctr("images", "list", "--quiet")[1].split():
            # The service that newer ones import by unpacks for the default snapshotter alone.
            by_client = ["--local"] if self.kind == NEW else []
            self.ctr("images", "import", *by_client, "--snapshotter", self._snapshotter, archive)

    def execute(self, container_id, *command, check=True):
        """Runs a command in a running container, under its limits; returns (status, output)."""
        name = f"exec-{os.urandom(4).hex()}"
        return self.ctr("tasks", "exec", "--exec-id", name, container_id, *command, check=check)

    def begin(self, container_id, *command):
        """Starts a command in a running container; returns the Popen of its client, with pipes for
        text, and a function that sends the command itself a signal by its name."""
        name = f"exec-{os.urandom(4).hex()}"
        client = self._box.spawn(
            [self._folder / "ctr", f"--address={SOCKET}", "--namespace=k8s.io", "tasks", "exec",
             "--exec-id", name, container_id, *command],
            env=self._environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True)
        return client, lambda signal: self.ctr("tasks", "kill", "--exec-id", name, "--signal",
                                               signal, container_id)
