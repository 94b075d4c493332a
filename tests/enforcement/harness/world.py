# SPDX-License-Identifier: Apache-2.0
"""A simulated machine: the world file that all simulated drivers share (tests/simgpu/README.md)."""
import json
import os
import pathlib
import subprocess

REPOSITORY = pathlib.Path(__file__).resolve().parents[3]


def build_folder():
    """Where the library, the simulated driver and the clients were built."""
    named = os.environ.get("ALIQUOT_ENFORCEMENT_BUILD")
    return pathlib.Path(named).resolve() if named else REPOSITORY / "build" / "enforcement"


class World:
    """One machine. `folder` holds its file; nothing else is needed to use it."""

    real = False

    def __init__(self, folder, profile="h100x8", *, virtual=False, slice_us=0, cuda="", variant="lib"):
        self.file = pathlib.Path(folder) / "world"
        self.build = build_folder()
        self.libraries = self.build / "tests" / "simgpu" / variant
        self._tool = self.build / "tests" / "simgpu" / "simgpu-world"
        path = pathlib.Path(profile)
        if not path.exists():
            path = REPOSITORY / "profiles" / f"{profile}.yaml"
        options = ["--virtual"] if virtual else []
        options += ["--slice-us", str(slice_us)] if slice_us else []
        options += ["--cuda", cuda] if cuda else []
        self._call("make", path, self.file, *options)

    def _call(self, *words):
        done = subprocess.run([self._tool, *map(str, words)], check=False, text=True,
                              capture_output=True)
        if done.returncode:
            raise RuntimeError(f"simgpu-world {' '.join(map(str, words))}: {done.stderr.strip()}")
        return done.stdout

    def show(self):
        """What the cards hold: {"now", "cards": [{"uuid", "used", "processes": [..]}]}."""
        return json.loads(self._call("show", self.file))

    def uuids(self):
        return [card["uuid"] for card in self.show()["cards"]]

    def card(self, uuid):
        return next(card for card in self.show()["cards"] if card["uuid"] == uuid)

    def advance(self, ns):
        """Virtual time goes on."""
        self._call("advance", self.file, ns)

    def lose(self, uuid):
        """The card falls off the bus."""
        self._call("lose", self.file, uuid)

    def find(self, uuid):
        self._call("find", self.file, uuid)

    def environment(self):
        """What a program needs to meet this machine instead of a real driver."""
        libraries = [str(self.libraries)]
        if self.libraries.name != "lib":  # a variant has libcuda.so.1 only
            libraries.append(str(self.libraries.with_name("lib")))
        return {"ALIQUOT_SIMGPU_WORLD": str(self.file), "LD_LIBRARY_PATH": ":".join(libraries)}
