# SPDX-License-Identifier: Apache-2.0
"""Fixtures of the tests that install the chart for real: a cluster in boxes, the chart on it, and a
namespace for a test's pods. Each module has a cluster of its own, as whole tests change it.
"""
import itertools
import pathlib
import re
import shutil
import tempfile

import pytest

from harness import cgroups, images, install_images, machine, simulated_driver
from harness.binaries import OLDEST
from harness.install_cluster import InstallCluster
from harness.install_workspace import InstallWorkspace
from harness.installation import PROFILE, Installation
from harness.simulated_driver import SimulatedDriver

_NUMBERS = itertools.count(1)


@pytest.fixture(scope="module")
def make_cluster():
    """`make_cluster(minor, nodes, more)` starts one, with `more(folder)` images besides ours; with
    `driver` its one node has cards that containers can use. The machine is left as found."""
    cgroups.sweep()
    made = []
    folder = pathlib.Path(tempfile.mkdtemp(prefix="aliquot-e2e-install-"))
    before = machine.state(folder)

    def make(minor=OLDEST, nodes=1, more=lambda folder: [], driver=False, **options):
        at = folder / str(len(made))
        at.mkdir()
        archives = install_images.archives(folder, minor) + more(folder)
        if driver:
            options["driver"] = SimulatedDriver(at / "driver", PROFILE, cards=4)
            archives.append((images.write_programs_archive(folder, simulated_driver.files()),
                             images.PROGRAMS))
        made.append(InstallCluster(at, minor, nodes, archives, **options))
        return made[-1].start()

    try:
        yield make
    finally:
        for each in made:
            each.stop()
        after = machine.state(folder)
        shutil.rmtree(folder, ignore_errors=True)
    assert after == before, "the cluster left something behind on this machine"


@pytest.fixture(scope="module")
def installed(make_cluster):
    """A cluster of one node, and the chart, which the module's first test installs."""
    return Installation(make_cluster(more=install_images.next_release))


@pytest.fixture
def fresh(make_cluster):
    """`fresh(values, ...)` is a cluster of the test's own, as of `make_cluster`, and the chart, not
    installed yet; it ends with the test."""
    made = []

    def make(values=None, **options):
        made.append(make_cluster(**options))
        return Installation(made[-1], values)

    yield make
    for each in made:
        each.stop()


@pytest.fixture
def work(installed, request):
    """The test's own namespace; its pods are removed afterwards."""
    stem = re.sub(r"[^a-z0-9]+", "-", request.node.originalname.lower().removeprefix("test_"))[:30]
    made = InstallWorkspace(installed.cluster, f"{stem.strip('-')}-{next(_NUMBERS)}")
    yield made
    made.delete_pods()


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    """Shows what the release says beside a failure."""
    report = (yield).get_result()
    installed = getattr(item, "funcargs", {}).get("installed")
    if report.failed and installed is not None:
        report.sections.append(("the release", installed.told()))
