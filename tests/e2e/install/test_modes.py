# SPDX-License-Identifier: Apache-2.0
"""The basic flow in every way to install: both scheduler modes, with and without a cluster DNS, one
node and two, addresses of IPv6 alone, cards that containers can use, and the newest Kubernetes as
well as the oldest."""
import os

import pytest

from harness import cluster_dns, images, install_images, pods
from harness.addresses import IPV6
from harness.binaries import NEWEST, OLDEST
from harness.chart import NAMESPACE
from harness.install_workspace import InstallWorkspace
from harness.installation import PROBE_ON_NODE
from harness.tenants import MIB, Tenants

OUT_OF_MEMORY = 2  # CUDA_ERROR_OUT_OF_MEMORY
BUNDLED = {}
STOCK = {"scheduler": {"mode": "stock"}}
_EVERY = [(mode, minor, nodes, dns) for mode in ("bundled", "stock") for minor in (OLDEST, NEWEST)
          for nodes in (1, 2) for dns in ("no-dns", "dns")]
# Each word of each kind at least once, with the one that test_life.py installs and those below.
_FEW = [("stock", OLDEST, 1, "no-dns"), ("stock", OLDEST, 2, "dns")]


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
    installation.check_doctor()
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


def test_where_all_addresses_are_of_ipv6_default_values_do(fresh):
    installation = fresh(BUNDLED, addresses=IPV6)
    installation.install()
    for service in ("aliquot-extender", "aliquot-admission"):
        spec = installation.api.get(f"/api/v1/namespaces/{NAMESPACE}/services/{service}")["spec"]
        assert spec["ipFamilies"] == ["IPv6"] and ":" in spec["clusterIP"], spec
        if service == "aliquot-extender":
            # And as whoever configures a kube-scheduler of his own is told.
            stanza = installation.aliquotctl("scheduler-config", "--stanza")[1]
            assert f"https://[{spec['clusterIP']}]:8443" in stanza, stanza
    _basic_flow(installation, "aliquot")
    status, text = installation.test()
    assert status == 0, text


def test_the_installed_agent_finds_the_driver_and_holds_pods_to_their_shares(fresh):
    installation = fresh(BUNDLED, minor=NEWEST, driver=True)
    installation.install()
    # The simulated driver asks for no device node. A real one is opened by NVML; the node's own has
    # nobody behind it here, and says so to whoever may open it.
    agent = installation.pod_of("agent")["status"]["containerStatuses"][0]["containerID"]
    status, opened = installation.cluster.nodes[0].runtime.execute(
        agent.split("://")[1], f"/driver-root{PROBE_ON_NODE}", "open", "/dev/nvidiactl", check=False)
    assert (status, opened.strip()) == (0, "ENXIO"), "NVML could not reach the driver"
    _basic_flow(installation, "aliquot")
    limit = 4096 * MIB
    tenants = Tenants(InstallWorkspace(installation.cluster, "held"))
    tenants.share("held", 30, limit)
    tenants.wait_running("held")
    seen = tenants.says("held", "meminfo")
    assert (seen["total"], seen["devices"]) == (limit, 1)
    # Three quarters of the share are had; half of it besides, and more than all of it, are not.
    sizes = [limit // 4 * 3, limit // 2, limit + 1]
    assert tenants.says("held", "alloc", *[str(each) for each in sizes])["results"] == [
        0, OUT_OF_MEMORY, OUT_OF_MEMORY]
    running = tenants.begin("held", burn=True)
    try:
        (process,) = tenants.driver.of_pod(tenants.work.pod("held"))
        assert process["uuid"] in installation.cluster.nodes[0].cards()
    finally:
        assert running.stop() > 0
    tenants.work.delete_pods()
    status, text = installation.test()
    assert status == 0, text
