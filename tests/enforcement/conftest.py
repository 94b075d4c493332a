# SPDX-License-Identifier: Apache-2.0
"""What all enforcement tests share: a machine, and containers on it. The machine is simulated, or with
ALIQUOT_TEST_GPU this one (tools/test-gpu.py)."""
import os
import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

from harness.container import Container  # noqa: E402  pylint: disable=wrong-import-position
from harness.real_card import RealMachine  # noqa: E402  pylint: disable=wrong-import-position
from harness.world import World  # noqa: E402  pylint: disable=wrong-import-position
from route_stage import fixture_stage  # noqa: E402,F401  pylint: disable=wrong-import-position,unused-import


def pytest_configure(config):
    config.addinivalue_line("markers", "gpu: a real card will do; `make test-gpu` runs it there")
    config.addinivalue_line("markers", "simulated: in a module marked gpu, needs the simulated machine all the same "
                            "(several cards, virtual time, faults)")


@pytest.fixture(name="make_world")
def fixture_make_world(tmp_path):
    """World(profile, ..) in a folder of the test's own."""
    made = []

    def make(profile="h100x8", **options):
        folder = tmp_path / f"world-{len(made)}"
        folder.mkdir()
        made.append(World(folder, profile, **options))
        return made[-1]

    return make


@pytest.fixture(name="world")
def fixture_world(make_world):
    """Eight H100 in real time, or the machine's own cards."""
    return RealMachine() if os.environ.get("ALIQUOT_TEST_GPU") else make_world()


@pytest.fixture(name="make_container")
def fixture_make_container():
    """Container(world, shares, ..), closed after the test."""
    made = []

    def make(world, shares, **options):
        made.append(Container(world, shares, **options))
        return made[-1]

    yield make
    for container in made:
        container.close()
