# SPDX-License-Identifier: Apache-2.0
"""A container as the agent makes one, of nothing but a mount namespace: its own /run/aliquot, and
the library in its /etc/ld.so.preload. Needs root."""
import ctypes
import json
import os
import pathlib
import shutil
import subprocess
import tempfile

from .limits import LimitsFile, UsageFile, own_tmpfs_folder
from .world import REPOSITORY, build_folder

_CLONE_NEWNS = 0x00020000
_CLONE_NEWPID = 0x20000000
_SECONDS = 60

# Mounts in the new namespace, then stays to keep it: $1 the container's folder, $2 the line of
# ld.so.preload or nothing, $3 the minor numbers of the cards that it has nodes of, or nothing, $4 "real" where
# the host's nodes are those of its cards.
_SETUP = """
set -e
mount -t tmpfs tmpfs /run
mkdir -p /run/aliquot/limits /run/overlay/upper /run/overlay/work
if [ "$4" != real ] && { [ -e /dev/nvidiactl ] || [ -n "$3" ]; }; then  # the host's nodes, a card's or another test's, are not this machine's
  mkdir /run/dev && mount -t tmpfs -o mode=755 tmpfs /run/dev
  for node in null zero full random urandom tty; do
    touch /run/dev/$node && mount --bind /dev/$node /run/dev/$node; done
  for folder in shm pts; do mkdir /run/dev/$folder && mount --rbind /dev/$folder /run/dev/$folder; done
  ln -s /proc/self/fd /run/dev/fd && mount --move /run/dev /dev
  if [ -n "$3" ]; then mknod -m 666 /dev/nvidiactl c 195 255; fi
  for minor in $3; do mknod -m 666 /dev/nvidia$minor c 195 $minor; done
fi
if [ -d "$1/limits" ]; then mount --bind "$1/limits" /run/aliquot/limits
  mount -o remount,bind,ro /run/aliquot/limits; fi
if [ -f "$1/usage" ]; then touch /run/aliquot/usage; mount --bind "$1/usage" /run/aliquot/usage; fi
if [ -n "$2" ]; then
  mount -t overlay overlay -o lowerdir=/etc,upperdir=/run/overlay/upper,workdir=/run/overlay/work /etc
  echo "$2" > /etc/ld.so.preload
fi
echo ready
exec cat
"""


def library_file(build=None):
    """libaliquot.so of the build under test; ALIQUOT_LIBRARY names another."""
    named = os.environ.get("ALIQUOT_LIBRARY")
    if named:
        return pathlib.Path(named).resolve()
    found = sorted((build or build_folder()).glob("**/libaliquot.so"))
    if not found:
        raise RuntimeError(f"no libaliquot.so below {build or build_folder()}; build it first")
    return found[0]


class Container:
    """Programs started by run() and start() see the world's cards behind the library.

    shares   what it may use; None: no record at all, as in a container without a share
    preload  "file": /etc/ld.so.preload; "environment": LD_PRELOAD; None: no library
    pids     True: a process ID namespace of its own as well, one for each program
    nodes    True: it has the device nodes of its shares' cards (by their minor numbers) and no others
    """

    def __init__(self, world, shares, *, preload="file", isolation="library", library=None, pids=False,
                 nodes=False, environment=None):
        self.world = world
        self.pids = pids
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="aliquot-container-", dir=own_tmpfs_folder()))
        self.folder.chmod(0o755)
        self.limits = LimitsFile(self.folder / "limits", shares, isolation) if shares is not None else None
        self.usage = UsageFile(self.folder / "usage") if shares is not None else None
        self.library = library or (library_file(world.build) if preload else None)
        self._environment = {"PATH": os.environ["PATH"], "HOME": "/tmp", **world.environment(),
                             "ALIQUOT_SPIN_PTX": str(REPOSITORY / "tests/enforcement/clients/spin.ptx"),
                             **(environment or {})}
        if preload == "environment":
            self._environment["LD_PRELOAD"] = str(self.library)
        self._started = []
        line = str(self.library) if preload == "file" else ""
        minors = " ".join(str(share.minor) for share in shares) if nodes else ""
        # The holder must not be preloaded itself: sh is started before the line is written.
        self._holder = subprocess.Popen(  # pylint: disable=consider-using-with
            ["unshare", "--mount", "--propagation", "private", "sh", "-c", _SETUP, "sh",
             str(self.folder), line, minors, "real" if world.real else ""],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        if self._holder.stdout.readline() != "ready\n":
            message = self._holder.stderr.read()
            self.close()
            raise RuntimeError(f"the container's mounts failed: {message.strip()}")
        self._namespace = os.open(f"/proc/{self._holder.pid}/ns/mnt", os.O_RDONLY)

    def client(self, name):
        """A program of tests/enforcement/clients."""
        return str(self.world.build / "tests" / "enforcement" / "clients" / name)

    def start(self, command, **options):
        """Starts a program in the container; a Popen with pipes for text. A first word without a
        slash that is a client's name means that client."""
        command = [str(word) for word in command]
        if "/" not in command[0] and pathlib.Path(self.client(command[0])).exists():
            command[0] = self.client(command[0])
        environment = {**self._environment, **options.pop("env", {})}
        namespace, pids = self._namespace, self.pids
        libc = ctypes.CDLL(None, use_errno=True)

        def enter():
            if libc.setns(namespace, _CLONE_NEWNS) != 0:
                raise OSError(ctypes.get_errno(), "setns")

        if pids:
            command = ["unshare", "--pid", "--fork", "--kill-child", "--mount-proc", *command]
        options.setdefault("stdin", subprocess.PIPE)
        options.setdefault("stdout", subprocess.PIPE)
        options.setdefault("stderr", subprocess.PIPE)
        options.setdefault("text", True)
        process = subprocess.Popen(command, env=environment, preexec_fn=enter,  # pylint: disable=consider-using-with,subprocess-popen-preexec-fn
                                   **options)
        self._started.append(process)
        return process

    def run(self, command, *, text_in="", timeout=_SECONDS, **options):
        """Runs a program to its end: a CompletedProcess."""
        process = self.start(command, **options)
        try:
            out, err = process.communicate(text_in, timeout=timeout)
        except subprocess.TimeoutExpired:
            process.kill()
            out, err = process.communicate()
            raise RuntimeError(f"{command} did not end within {timeout} s; it said: {out}{err}") from None
        return subprocess.CompletedProcess(command, process.returncode, out, err)

    def json(self, command, **options):
        """Runs a client that must end well, and reads the line that it prints."""
        done = self.run(command, **options)
        if done.returncode:
            raise RuntimeError(f"{command} ended with {done.returncode}: {done.stderr.strip()}")
        return json.loads(done.stdout.splitlines()[-1])

    def close(self):
        for process in self._started:
            if process.poll() is None:
                process.kill()
            process.wait()
            for pipe in (process.stdin, process.stdout, process.stderr):
                if pipe is not None:
                    pipe.close()
        self._holder.kill()
        self._holder.wait()
        for pipe in (self._holder.stdin, self._holder.stdout, self._holder.stderr):
            pipe.close()
        if hasattr(self, "_namespace"):
            os.close(self._namespace)
        shutil.rmtree(self.folder)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
