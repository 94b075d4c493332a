# SPDX-License-Identifier: Apache-2.0
"""The simulated machine and the two containers that the routes are run in."""
import json

import pytest

from harness.container import Container
from harness.limits import Share
from harness.world import World
import route_programs

SHARE = 10 << 30
# Where a driver container leaves the driver: for programs that are given no LD_LIBRARY_PATH. And a program
# that runs as root whoever starts it.
_PREPARE = """mkdir -p /run/nvidia/driver/usr/lib64 && mount --bind {libraries} /run/nvidia/driver/usr/lib64 &&
cp {bin}/lookup /run/set_user_id && chmod 4755 /run/set_user_id"""


class Stage:
    """The simulated machine with two containers, one behind the library and one without it."""

    def __init__(self, folder):
        self.world = World(folder, "h100x8")
        cuda = (self.world.libraries / "libcuda.so.1").resolve()
        programs = folder / "bin"
        programs.mkdir()
        route_programs.build(programs)
        self.places = {"bin": programs, "cuda": cuda, "routes": route_programs.ROUTES,
                       "libraries": self.world.libraries, "python": "/usr/bin/python3",
                       **route_programs.copy_driver(folder, cuda)}
        variables = {**self.world.environment(), "ROUTE_LIMIT": str(SHARE)}
        self.places["world"] = " ".join(f"{name}={value}" for name, value in variables.items()
                                        if name != "LD_LIBRARY_PATH")
        shares = [Share(self.world.uuids()[0], core=100, memory=SHARE)]
        self.held = Container(self.world, shares, environment=variables)
        self.free = Container(self.world, None, preload=None, environment=variables)
        for container in (self.held, self.free):
            done = container.run(["sh", "-c", _PREPARE.format(**self.places)])
            if done.returncode:
                raise RuntimeError(f"the containers cannot be prepared: {done.stderr}")

    def report(self, container, route):
        """What the route's program says in that container."""
        extra = {name: value.format(**self.places) for name, value in route.environment.items()}
        done = container.run(route.command.format(**self.places).split(), env=extra, timeout=120)
        if done.returncode or not done.stdout:
            # A program that is not there to be started, or whose libraries are not, has no driver either.
            if container is self.free and "libcuda.so.1: cannot open" in done.stderr:
                return {"error": "not started"}
            raise RuntimeError(f"{route.command}: {done.returncode}, {done.stdout}{done.stderr}")
        return {**json.loads(done.stdout.splitlines()[-1]), "said": done.stderr}

    def close(self):
        self.held.close()
        self.free.close()


@pytest.fixture(name="stage", scope="session")
def fixture_stage(tmp_path_factory):
    """One for all routes; building the programs takes a few seconds."""
    made = Stage(tmp_path_factory.mktemp("routes"))
    yield made
    made.close()
