# SPDX-License-Identifier: Apache-2.0
"""A box: namespaces in which a container runtime and a kubelet believe to have a machine.

It has its own processes, mounts, network, host name, /run, /dev, /var/lib and /var/log, so several
nodes run on one machine with the same paths and ports, and nothing in it reaches anything outside.
Its programs are started by `BoxProcess` and have process IDs of the test run, by which they are
killed; `Box.run` runs one command to its end. When the box's first process ends, and the kernel
ends it when the test run dies, everything in it is gone: processes, mounts, interfaces. Cgroups
alone are left over; `Box.stop` removes those too.

The folder of a box survives `stop` and a later `start`, as a disk survives a reboot:
var-lib is /var/lib inside, var-log is /var/log.
"""
import ctypes
import os
import pathlib
import socket
import subprocess
import threading

from . import cgroups
from .processes import Process
from .waiting import until

_LIBC = ctypes.CDLL(None, use_errno=True)
_SCRIPT = pathlib.Path(__file__).with_name("box.sh")
NODE_ADDRESS = "10.213.128.1"
# Of the second one, where two boxes share a network (Box.join).
SECOND_ADDRESS = "10.213.128.2"


def _set_namespace(descriptor):
    if _LIBC.setns(descriptor, 0) != 0:
        raise OSError(ctypes.get_errno(), "setns")


def _in_thread(work):
    """Runs `work` in a thread that ends with it: namespaces belong to threads."""
    outcome = {}

    def run():
        try:
            outcome["value"] = work()
        except BaseException as error:  # pylint: disable=broad-except  # handed to the caller
            outcome["error"] = error

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    if "error" in outcome:
        raise outcome["error"]
    return outcome["value"]


class Box:
    """One box. `devices` are (name below /dev, major, minor); it may change between two starts.

    Logs lie beside the folder and outlive it. Boxes have networks of their own, so the same address
    in each, unless one joins another's.
    """

    # pylint: disable=too-many-arguments
    def __init__(self, folder, name, devices=(), address=NODE_ADDRESS, neighbour=SECOND_ADDRESS):
        self.folder = pathlib.Path(folder)
        self.log_folder = self.folder.parent
        self.folder.mkdir(parents=True, exist_ok=True)
        self.name = name
        self.address = address
        self.devices = list(devices)
        self.cgroup = cgroups.name_for(name)
        listing = self.folder / "devices"
        self._shell = Process(f"box-{name}", [
            "unshare", "-n", "-m", "-p", "-i", "-u", "--fork", "--mount-proc", "--kill-child",
            "bash", _SCRIPT, self.folder, name, listing, address, neighbour], self.log_folder)
        self._listing = listing
        self._started = []
        self.pid = None

    def start(self):
        """Boots it. Call from the main thread: the kernel ends the box with its caller."""
        self._listing.write_text("".join(f"{name} {major} {minor}\n"
                                         for name, major, minor in self.devices))
        cgroups.make(self.cgroup)
        self._shell.start()
        self.pid = until("the box's first process", self._first_process, timeout=10, every=0.01)
        self._shell.wait_until("ready", lambda: self.path("/run/box-ready").exists(), timeout=10)
        return self

    def _first_process(self):
        parent = self._shell.pid
        try:
            children = pathlib.Path(f"/proc/{parent}/task/{parent}/children").read_text()
        except FileNotFoundError as error:
            raise AssertionError(self._shell.log_tail()) from error
        return int(children.split()[0]) if children.strip() else None

    def running(self):
        """True while the box exists."""
        return self._shell.running()

    def stop(self):
        """Ends everything in it at once, as a loss of power would."""
        if self.pid is None:
            return
        self._shell.kill()
        # The kernel has killed them all, and keeps the box until the last one is waited for.
        for each in self._started:
            each.wait()
        self._started.clear()
        until("the box's processes to be gone", self._ended, timeout=20, every=0.01)
        self.pid = None
        cgroups.remove(self.cgroup)

    def _ended(self):
        """The first process ends after all others; who inherits it may be slow to notice."""
        try:
            return pathlib.Path(f"/proc/{self.pid}/stat").read_text().rsplit(")", 1)[1].split()[
                0] == "Z"
        except (FileNotFoundError, ProcessLookupError):
            return True

    def path(self, inside):
        """Where the test run finds a path of the box."""
        return pathlib.Path(f"/proc/{self.pid}/root") / str(inside).lstrip("/")

    def spawn(self, arguments, **options):
        """subprocess.Popen inside the box; the process ID is one of the test run."""
        base = f"/proc/{self.pid}/ns"
        opened = [os.open(f"{base}/{kind}", os.O_RDONLY | os.O_CLOEXEC)
                  for kind in ("pid", "net", "ipc", "uts", "mnt")]

        def enter():
            for descriptor in opened[1:]:
                _set_namespace(descriptor)
            os.chdir("/")

        def start():
            # Children of this thread are born into the box's process IDs.
            _set_namespace(opened[0])
            # pylint: disable=subprocess-popen-preexec-fn  # the child only calls setns and chdir
            return subprocess.Popen([str(each) for each in arguments], preexec_fn=enter, **options)

        try:
            started = _in_thread(start)
        finally:
            for descriptor in opened:
                os.close(descriptor)
        self._started = [each for each in self._started if each.poll() is None] + [started]
        return started

    # pylint: disable=too-many-arguments
    def run(self, arguments, stdin=None, timeout=30, environment=None, check=True, keep=()):
        """Runs a command in the box; returns (exit status, output with errors). The file
        descriptors to `keep` are open in it as well."""
        started = self.spawn(arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT, env=environment, pass_fds=keep)
        try:
            output, _ = started.communicate(stdin, timeout)
        except subprocess.TimeoutExpired:
            started.kill()
            output, _ = started.communicate()
            raise AssertionError(f"{arguments} takes over {timeout} s: {output.decode()}") from None
        text = output.decode(errors="replace")
        assert not check or started.returncode == 0, f"{arguments} -> {started.returncode}: {text}"
        return started.returncode, text

    def join(self, other):
        """Connects the networks of two boxes of different addresses: each becomes the other's
        neighbour, as on one cable."""
        self.run(["ip", "link", "delete", "node0"])
        other.run(["ip", "link", "delete", "node0"])
        self.run(["ip", "link", "add", "node0", "type", "veth", "peer", "name", "node0p"])
        # The second end moves by the file of the other's network, which has a name in this box's
        # /proc only if its processes were ours; a file descriptor has one everywhere.
        descriptor = os.open(f"/proc/{other.pid}/ns/net", os.O_RDONLY)
        try:
            self.run(["ip", "link", "set", "node0p", "netns", f"/proc/self/fd/{descriptor}"],
                     keep=(descriptor,))
        finally:
            os.close(descriptor)
        other.run(["ip", "link", "set", "node0p", "name", "node0"])
        for box, neighbour in ((self, other), (other, self)):
            box.run(["ip", "addr", "add", f"{box.address}/24", "dev", "node0"])
            box.run(["ip", "link", "set", "node0", "up"])
            box.run(["ip", "route", "add", "default", "via", neighbour.address, "dev", "node0"])

    def pod_logs(self, pod, container):
        """All output of a pod's container, oldest start first: a list of texts, one a start."""
        name = "_".join((pod["metadata"]["namespace"], pod["metadata"]["name"],
                         pod["metadata"]["uid"]))
        folder = self.folder / "var-log" / "pods" / name / container
        texts = []
        for log in sorted(folder.glob("*.log"), key=lambda each: int(each.stem)):
            # The runtime's format: time, stream, F or P for a part of a long line, text.
            parts = [line.split(" ", 3) for line in log.read_text().splitlines()]
            texts.append("".join(part[3] + ("\n" if part[2] == "F" else "") for part in parts))
        return texts

    def _in_network(self, work):
        descriptor = os.open(f"/proc/{self.pid}/ns/net", os.O_RDONLY | os.O_CLOEXEC)

        def run():
            _set_namespace(descriptor)
            return work()

        try:
            return _in_thread(run)
        finally:
            os.close(descriptor)

    def listen(self, port=0):
        """A socket that listens on the box's own loopback and is served by the test run."""
        return self._in_network(lambda: socket.create_server(("127.0.0.1", port)))

    def listen_at(self, path):
        """A Unix socket at a path of the box that is served by the test run."""
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(str(self.path(path)))
        listener.listen()
        return listener

    def connect(self, port, timeout=5, host="127.0.0.1"):
        """A connection to a port of the box's own loopback, or of another address of it."""
        return self._in_network(lambda: socket.create_connection((host, port), timeout))


class BoxProcess(Process):
    """A long-running program inside a box; see Process. It ends with the box at the latest."""

    def __init__(self, box, name, arguments, environment=None):
        super().__init__(name, arguments, box.log_folder, environment)
        self._box = box

    def _spawn(self, log):
        return self._box.spawn(self.arguments, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                               env=self._environment)
