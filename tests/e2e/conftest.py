# SPDX-License-Identifier: Apache-2.0
"""Fixtures of the end-to-end suite.

`cluster` is one real control plane with allocator and kube-scheduler for the whole run. Every test
runs on the oldest supported minor; those marked `core` run on the newest as well, on a second
cluster. `work` is a test's own namespace and nodes on it.
"""
import itertools
import os
import pathlib
import re
import shutil
import tempfile

import pytest

from harness.binaries import NEWEST, OLDEST
from harness.cluster import Cluster
from harness.workspace import Workspace

_NUMBERS = itertools.count(1)


def pytest_configure(config):
    """Declares the marker that the suite uses."""
    config.addinivalue_line("markers", "core: runs on the newest supported minor as well")


def pytest_generate_tests(metafunc):
    """Gives each test the minors that it runs on."""
    if "cluster" in metafunc.fixturenames:
        core = metafunc.definition.get_closest_marker("core") is not None
        metafunc.parametrize("cluster", [OLDEST, NEWEST] if core else [OLDEST], indirect=True,
                             scope="session")


@pytest.fixture(scope="session")
def cluster(request):
    """A running cluster; its logs are kept in out/e2e when a test failed."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix=f"aliquot-e2e-{request.param}-"))
    made = Cluster(folder, request.param)
    failed_before = request.session.testsfailed
    try:
        made.start()
        yield made
    finally:
        made.stop()
        if request.session.testsfailed > failed_before:
            _keep_logs(folder, request.param)
        shutil.rmtree(folder, ignore_errors=True)


def _keep_logs(folder, minor):
    kept = pathlib.Path(os.environ.get("ALIQUOT_E2E_LOGS", "out/e2e")) / minor
    kept.mkdir(parents=True, exist_ok=True)
    for log in folder.glob("*.log"):
        shutil.copy(log, kept / log.name)


@pytest.fixture
def work(cluster, request):
    """The test's own namespace and nodes; afterwards the cluster is as before."""
    stem = re.sub(r"[^a-z0-9]+", "-", request.node.originalname.lower().removeprefix("test_"))[:30]
    made = Workspace(cluster, f"{stem.strip('-')}-{next(_NUMBERS)}")
    try:
        yield made
    finally:
        cluster.restore()
        made.clean()


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    """Shows the end of every program's log beside a failure."""
    report = (yield).get_result()
    used = getattr(item, "funcargs", {}).get("cluster")
    if report.failed and used is not None:
        for process in used.processes():
            report.sections.append((f"end of {process.name}.log", process.log_tail()))
