# SPDX-License-Identifier: Apache-2.0
"""A driver for a real node that has no card: tests/simgpu, in the agent and in every container.

The agent sees the cards through the simulated libnvidia-ml.so.1 and hands out the simulated driver's
libraries as it would NVIDIA's; device nodes lie in the box's own /dev. What a real driver keeps in
the kernel is here one file, the world, which every program maps: pods get it as a hostPath volume
(`use`), which is the one thing about them that a real cluster's pods have not.

    driver.busy(a, b)    GPU time of each pod's processes, as the simulated hardware counts it
    driver.processes()   all processes on the cards

Built by `tools/build.sh enforcement ..`; ALIQUOT_ENFORCEMENT_BUILD names another build folder.
"""
import json
import os
import pathlib
import shutil
import subprocess

import yaml

from . import images, pods
from .chart import ROOT

LIBRARY = ROOT / "out" / "lib" / "libaliquot.so"
WORLD_FOLDER = "/run/simgpu"  # in the box: on a tmpfs, whose record locks mappings share
_IN_CONTAINER = "/simgpu"
_VARIABLE = "ALIQUOT_SIMGPU_WORLD"
_CLIENTS = ("alloc", "meminfo", "nvmlinfo", "tenant", "tenant-static")


def build_folder():
    """Where the simulated driver and the programs that use it were built."""
    named = os.environ.get("ALIQUOT_ENFORCEMENT_BUILD")
    return pathlib.Path(named).resolve() if named else ROOT / "build" / "enforcement"


def clients():
    """The programs for containers: a list of paths."""
    return [build_folder() / "tests" / "enforcement" / "clients" / each for each in _CLIENTS]


def check_built():
    """An assertion error that says what to build, unless all is there."""
    folder = build_folder() / "tests" / "simgpu"
    wanted = [folder / "simgpu-world", folder / "lib" / "libcuda.so.1",
              folder / "lib" / "libnvidia-ml.so.1", *clients(), LIBRARY]
    missing = [str(each) for each in wanted if not each.exists()]
    assert not missing, (
        f"{', '.join(missing)} is missing: run 'make build' and 'tools/build.sh enforcement "
        "-DALIQUOT_CUDA_HEADERS=$(/usr/bin/python3 tests/nvidia/headers.py)', or name a build "
        "folder in ALIQUOT_ENFORCEMENT_BUILD")


class SimulatedDriver:
    """The driver of one node, with the first `cards` cards of a machine profile."""

    def __init__(self, folder, profile, cards):
        check_built()
        self._folder = pathlib.Path(folder)
        self._folder.mkdir(parents=True, exist_ok=True)
        self._libraries = build_folder() / "tests" / "simgpu" / "lib"
        self._tool = build_folder() / "tests" / "simgpu" / "simgpu-world"
        machine = yaml.safe_load((ROOT / "profiles" / f"{profile}.yaml").read_text())
        machine["cards"] = machine["cards"][:cards]
        machine.pop("links", None)  # of cards that may not be there
        self._machine = machine
        self._profile = self._folder / "profile.yaml"
        self._profile.write_text(yaml.safe_dump(machine))
        self._box = None
        self.nvml = self._libraries / "libnvidia-ml.so.1"
        self.environment = {_VARIABLE: f"{WORLD_FOLDER}/world"}

    def device_nodes(self):
        """What the node has in its /dev: (name, major, minor)."""
        nodes = self._machine["deviceNodes"]
        major = nodes.get("cardMajor", 195)
        return ([(f"nvidia{card['minor']}", major, card["minor"])
                 for card in self._machine["cards"]]
                + [(each["name"], each["major"], each["minor"]) for each in nodes["control"]])

    def root(self):
        """A folder in which the driver lies as an installation puts it."""
        root = self._folder / "driver-root"
        libraries = root / "usr" / "lib" / f"{os.uname().machine}-linux-gnu"
        libraries.mkdir(parents=True, exist_ok=True)
        for name in ("libcuda", "libnvidia-ml"):
            shutil.copyfile(self._libraries / f"{name}.so.1",
                            libraries / f"{name}.so.{self._machine['driver']}")
        return root

    def boot(self, box):
        """Makes the world of this boot of the machine."""
        self._box = box
        box.path(WORLD_FOLDER).mkdir()
        self._world("make", self._profile)
        box.path(f"{WORLD_FOLDER}/world").chmod(0o666)

    def _world(self, verb, *words):
        operands = [*words, f"{WORLD_FOLDER}/world"] if verb == "make" else [
            f"{WORLD_FOLDER}/world", *words]
        return self._box.run([self._tool, verb, *operands])[1]

    def show(self):
        """What simgpu-world tells: cards with their memory and processes, seen from the box."""
        return json.loads(self._world("show"))

    def processes(self):
        """Every process on a card, with `uuid` and `cgroup` (its control groups) added."""
        return self._look()[1]

    def memory(self):
        """What CUDA says that a card has, in bytes: a 128th is the driver's own."""
        return self.show()["cards"][0]["memory"] // 128 * 127

    def of_pod(self, pod):
        """The processes of one pod."""
        return [each for each in self.processes() if pod["metadata"]["uid"] in each["cgroup"]]

    def busy(self, *of):
        """(now, GPU time of each of these pods' living processes), in ns, at one moment."""
        now, shown = self._look()
        return now, [sum(each["busyNs"] for each in shown
                         if pod["metadata"]["uid"] in each["cgroup"]) for pod in of]

    def _look(self):
        shown = self.show()
        found = []
        for card in shown["cards"]:
            for process in card["processes"]:
                path = self._box.path(f"/proc/{process['pid']}/cgroup")
                try:
                    groups = path.read_text()
                except (FileNotFoundError, ProcessLookupError):
                    continue  # it has ended
                found.append({**process, "uuid": card["uuid"], "cgroup": groups})
        return shown["now"], found

    @staticmethod
    def use(pod):
        """Gives a pod's containers the image with the programs, and the world; returns the pod."""
        spec = pod["spec"]
        spec.setdefault("volumes", []).append(
            {"name": "world", "hostPath": {"path": WORLD_FOLDER, "type": "Directory"}})
        for container in spec["containers"]:
            if container["image"] == pods.NO_IMAGE:
                container["image"] = images.PROGRAMS
            container.setdefault("env", []).append(
                {"name": _VARIABLE, "value": f"{_IN_CONTAINER}/world"})
            container.setdefault("volumeMounts", []).append(
                {"name": "world", "mountPath": _IN_CONTAINER})
        return pod


def files():
    """What the image with the programs has besides the usual: (path, content, mode) of each."""
    check_built()
    libraries = build_folder() / "tests" / "simgpu" / "lib"
    programs = clients()
    found = {f"bin/{each.name}": each for each in programs}
    found["share/spin.ptx"] = ROOT / "tests" / "enforcement" / "clients" / "spin.ptx"
    # Driver and enforcement library come from the node; what they load is any glibc image's own.
    for program in [*programs, *libraries.glob("*.so.1"), LIBRARY]:
        for path in _needed(program, libraries):
            found.setdefault(str(path).lstrip("/"), path)
    return [(name, path.read_bytes(), 0o755) for name, path in sorted(found.items())]


def _needed(program, libraries):
    """The system's libraries, loader included, that a program or library loads."""
    listed = subprocess.run(["ldd", str(program)], check=False, text=True, stdout=subprocess.PIPE,
                            stderr=subprocess.DEVNULL,
                            env={**os.environ, "LD_LIBRARY_PATH": str(libraries)}).stdout
    words = [word for line in listed.splitlines() for word in line.split()
             if word.startswith("/") and not word.startswith(str(libraries))]
    return [pathlib.Path(word) for word in words]
