# SPDX-License-Identifier: Apache-2.0
"""Fixtures of the end-to-end suite.

`cluster` is one real control plane with allocator and kube-scheduler for the whole run. Every test
runs on the oldest supported minor; those marked `core` run on the newest as well, on a second
cluster. `work` is a test's own namespace and nodes on it.

`real_nodes` starts nodes with a real kubelet and containerd beside the cluster, each when it is
first asked for; `node_work` makes a test's own namespace on one of them.
"""
import itertools
import os
import pathlib
import re
import shutil
import tempfile

import pytest

from harness import cgroups, machine, runtime
from harness.binaries import NEWEST, OLDEST
from harness.cluster import Cluster
from harness.node_workspace import NodeWorkspace
from harness.real_nodes import RealNodes
from harness.tenants import Tenants
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
    yield from _running_cluster(request, request.param, request.param)


def _running_cluster(request, minor, name):
    folder = pathlib.Path(tempfile.mkdtemp(prefix=f"aliquot-e2e-{name}-"))
    made = Cluster(folder, minor)
    failed_before = request.session.testsfailed
    try:
        made.start()
        yield made
    finally:
        made.stop()
        if request.session.testsfailed > failed_before:
            _keep_logs(folder, name)
        shutil.rmtree(folder, ignore_errors=True)


def _keep_logs(folder, name):
    kept = pathlib.Path(os.environ.get("ALIQUOT_E2E_LOGS", "out/e2e")) / name
    kept.mkdir(parents=True, exist_ok=True)
    for log in folder.glob("*.log"):
        shutil.copy(log, kept / log.name)


def _namespace(request):
    """A namespace's name that tells which test it belongs to."""
    stem = re.sub(r"[^a-z0-9]+", "-", request.node.originalname.lower().removeprefix("test_"))[:30]
    return f"{stem.strip('-')}-{next(_NUMBERS)}"


@pytest.fixture
def work(cluster, request):
    """The test's own namespace and nodes; afterwards the cluster is as before."""
    made = Workspace(cluster, _namespace(request))
    try:
        yield made
    finally:
        cluster.restore()
        made.clean()


@pytest.fixture(scope="session")
def node_cluster(request):
    """A second cluster, of the oldest minor: tests that count nodes must not meet real ones."""
    yield from _running_cluster(request, OLDEST, "nodes")


@pytest.fixture(scope="session")
def real_nodes(node_cluster):
    """The run's real nodes; `real_nodes.get(...)` gives one. The machine is left as found."""
    cgroups.sweep()
    before = machine.state(node_cluster.folder)
    made = RealNodes(node_cluster)
    try:
        yield made
    finally:
        made.stop()
    after = machine.state(node_cluster.folder)
    assert after == before, "the nodes left something behind on this machine"


@pytest.fixture
def node_work(node_cluster, request):
    """`node_work(node)` is the test's own namespace on a real node; afterwards its pods are gone."""
    made = []

    def make(node):
        made.append(NodeWorkspace(node_cluster, _namespace(request), node))
        return made[-1]

    try:
        yield make
    finally:
        for each in made:
            if each.node.box.running():
                each.node.restore()
        node_cluster.restore()
        for each in made:
            each.clean()


# Nodes of one card with a simulated driver: how it is granted, and on which runtime.
HELD = {"devdir": runtime.OLD, "cdi": runtime.NEW}


@pytest.fixture(scope="module")
def held_node(real_nodes):
    """`held_node(mode)` gives one of them. They end with the module: a kubelet takes a good part of
    what the kernel lets one user watch (inotify), and the run has many nodes.
    """
    made = {}

    def get(mode):
        if mode not in made:
            made[mode] = real_nodes.get("held", HELD[mode], "t4x4", mode, cards=1)
        return made[mode]

    yield get
    for node in made.values():
        real_nodes.end(node)


@pytest.fixture(params=HELD if os.environ.get("NODE_EXHAUSTIVE") else ["cdi"])
def tenants(held_node, node_work, request):
    """The test's pods on a node of one card that they can use."""
    return Tenants(node_work(held_node(request.param)))


@pytest.fixture(params=HELD)
def tenants_of_both(held_node, node_work, request):
    """The same, by device directories on the old runtime and by CDI on the new one."""
    return Tenants(node_work(held_node(request.param)))


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    """Shows the end of every program's log beside a failure."""
    report = (yield).get_result()
    used = [getattr(item, "funcargs", {}).get(name) for name in (
        "cluster", "node_cluster", "real_nodes")]
    if report.failed:
        for process in [process for each in used if each for process in each.processes()]:
            report.sections.append((f"end of {process.name}.log", process.log_tail()))
