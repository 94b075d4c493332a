# SPDX-License-Identifier: Apache-2.0
"""Every route to the driver is run with and without the library; a route that changes its verdict, for
better or for worse, fails here until the table and docs/adr/0014-interposition.md say so."""
import json
import pathlib
import re
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

# pylint: disable=wrong-import-position
from harness.container import Container  # noqa: E402
from harness.limits import Share  # noqa: E402
from harness.world import REPOSITORY, World  # noqa: E402
import route_programs  # noqa: E402
from route_matrix import CARD, NO_DRIVER, ROUTES, judge  # noqa: E402

_SHARE = 10 << 30
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
        route_programs.build(programs, cuda)
        self.places = {"bin": programs, "cuda": cuda, "routes": route_programs.ROUTES,
                       "libraries": self.world.libraries, "python": "/usr/bin/python3",
                       **route_programs.copy_driver(folder, cuda)}
        variables = {**self.world.environment(), "ROUTE_LIMIT": str(_SHARE)}
        self.places["world"] = " ".join(f"{name}={value}" for name, value in variables.items()
                                        if name != "LD_LIBRARY_PATH")
        shares = [Share(self.world.uuids()[0], core=100, memory=_SHARE)]
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


@pytest.fixture(name="stage", scope="module")
def fixture_stage(tmp_path_factory):
    """One for all routes; building the programs takes a few seconds."""
    made = Stage(tmp_path_factory.mktemp("routes"))
    yield made
    made.close()


@pytest.mark.parametrize("route", ROUTES, ids=[route.name for route in ROUTES])
def test_route(stage, route):
    """The route leads where the table says, and without the library to the whole card."""
    without = stage.report(stage.free, route)
    assert (NO_DRIVER if "error" in without else CARD) == route.without, without
    if route.without == CARD:
        assert without["total"] > 2 * _SHARE and without["over"] == 0
    report = stage.report(stage.held, route)
    assert judge(report, _SHARE) == route.verdict, report


def test_a_users_override_is_still_called(stage):
    """The user's own cuMemAlloc_v2 stands before ours, as it would before the driver's."""
    route = next(each for each in ROUTES if "own cuMemAlloc_v2" in each.name)
    assert "through the user's library" in stage.report(stage.held, route)["said"]


def test_no_route_says_anything_on_standard_error(stage):
    """The library adds no line to a program's output."""
    route = next(each for each in ROUTES if each.name == "dlopen by absolute path")
    assert stage.report(stage.held, route)["said"] == ""


def test_the_decision_record_has_the_same_table():
    """docs/adr/0014-interposition.md lists every route with its verdict, and no other."""
    text = (REPOSITORY / "docs/adr/0014-interposition.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (.+?) \| (held|detected|neither|no driver) \|", text, re.MULTILINE)
    assert rows == [(route.name, route.verdict) for route in ROUTES]
