# SPDX-License-Identifier: Apache-2.0
"""The basic flow in every way to install: both scheduler modes, with and without a cluster DNS, one
node and two, and the newest Kubernetes as well as the oldest."""
import os

import pytest

from harness import cluster_dns, images, install_images, pods
from harness.binaries import NEWEST, OLDEST
from harness.install_workspace import InstallWorkspace

BUNDLED = {}
STOCK = {"scheduler": {"mode": "stock"}}
_EVERY = [(mode, minor, nodes, dns) for mode in ("bundled", "stock") for minor in (OLDEST, NEWEST)
          for nodes in (1, 2) for dns in ("no-dns", "dns")]
# Each word of each kind at least once; the one that test_life.py installs is among the others.
_FEW = [("stock", OLDEST, 1, "no-dns"), ("bundled", NEWEST, 1, "no-dns"),
        ("stock", OLDEST, 2, "dns")]


def _basic_flow(installation, expected_scheduler):
    """GPU pods and a plain one run as they should; what they got is told by what they see."""
    work = InstallWorkspace(installation.cluster, "basic")
    for node in installation.cluster.nodes:
        chosen = {"nodeSelector": {"kubernetes.io/hostname": node.name}}
        work.create(pods.share(f"share-{node.name}", core=20, memory=15, **chosen))
        work.create(pods.pod(f"init-{node.name}", [pods.container(core=100)], init=[
            pods.container("first", core=40, memory=8, args=["report"])], **chosen))
        work.create(pods.pod(f"plain-{node.name}", [pods.container(image=images.GREEDY)], **chosen))
    names = [each["metadata"]["name"] for each in work.pods()[0]]
    for pod in work.wait_running(*names):
        name = pod["metadata"]["name"]
        if name.startswith("plain"):
            assert work.report(name).cards() == []
            assert pod["spec"]["schedulerName"] == "default-scheduler"
            continue
        assert pod["spec"]["schedulerName"] == expected_scheduler
        report = work.report(name)
        assert report.cards() == work.granted(name)["main"] == report.reachable_cards()
    work.ledger().check()
    work.delete_pods()


@pytest.mark.parametrize("mode, minor, nodes, dns", _EVERY if os.environ.get(
    "E2E_INSTALL_EXHAUSTIVE") else _FEW)
def test_the_basic_flow(fresh, mode, minor, nodes, dns):
    installation = fresh(STOCK if mode == "stock" else BUNDLED, minor=minor, nodes=nodes,
                         more=lambda folder: [install_images.coredns(folder)] if dns == "dns" else [])
    if dns == "dns":
        cluster_dns.start(installation.api)
    installation.install()
    if mode == "stock":
        installation.use_stock_scheduler()
    _basic_flow(installation, "aliquot" if mode == "bundled" else "default-scheduler")
    status, text = installation.test()
    assert status == 0, text
