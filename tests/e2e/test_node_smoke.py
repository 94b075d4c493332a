# SPDX-License-Identifier: Apache-2.0
"""A real node runs pods at all, on both container runtimes, and leaves nothing behind."""
import os

import pytest

from harness import images, machine, pods, runtime
from harness.waiting import until


@pytest.mark.parametrize("kind", [runtime.OLD, runtime.NEW])
def test_a_pod_without_a_gpu_runs_and_sees_no_card(real_nodes, node_work, kind):
    work = node_work(real_nodes.get("plain", kind))
    work.create(pods.pod("plain", [pods.container(), pods.container("greedy",
                                                                    image=images.GREEDY)]))
    work.wait_running("plain")
    for container in ("main", "greedy"):
        report = work.report("plain", container)
        assert report.uid == 0 and report.cards() == []
        assert report.reachable_cards() == [], "the cgroup lets root make and open a card"
    assert work.execute("plain", "probe", "open", "/dev/null") == "OK"


def test_running_containers_outlive_kubelet_and_containerd(real_nodes, node_work):
    node = real_nodes.get("plain", runtime.NEW)
    work = node_work(node)
    work.create(pods.pod("stays", [pods.container()]))
    work.wait_running("stays")
    before = work.container_status("stays")
    node.kubelet.process.kill()
    node.runtime.process.kill()
    assert not node.kubelet.healthy()
    node.start_runtime()
    node.start_kubelet()
    work.create(pods.pod("next", [pods.container()]))
    work.wait_running("next")
    after = work.container_status("stays")
    assert (after["containerID"], after["restartCount"]) == (before["containerID"], 0)
    assert work.execute("stays", "probe", "open", "/dev/null") == "OK"


def test_a_reboot_ends_containers_empties_run_and_starts_the_pods_again(real_nodes, node_work):
    node = real_nodes.get("plain", runtime.NEW)
    work = node_work(node)
    work.create(pods.pod("comes-back", [pods.container()]))
    work.wait_running("comes-back")
    before = work.container_status("comes-back")["containerID"]
    boot = node.box.path("/proc/sys/kernel/random/boot_id").read_text()
    node.box.path("/run/of-this-boot").write_text("")
    node.reboot()
    assert not node.box.path("/run/of-this-boot").exists()
    assert node.box.path("/proc/sys/kernel/random/boot_id").read_text() != boot
    until("another container to run", lambda: (
        work.container_status("comes-back")["containerID"] != before
        and work.container_status("comes-back")["state"].get("running")), timeout=30)


def test_a_node_that_ends_leaves_the_machine_as_it_was(node_cluster, real_nodes, node_work):
    before = machine.state(node_cluster.folder)
    node = real_nodes.get("ends", runtime.NEW)
    cgroups_now = machine.state(node_cluster.folder)["cgroups"]
    assert cgroups_now != before["cgroups"], "the comparison sees nothing"
    work = node_work(node)
    work.create(pods.pod("runs", [pods.container()]))
    work.wait_running("runs")
    processes = [process.pid for process in node.processes()]
    real_nodes.end(node)
    assert machine.state(node_cluster.folder) == before
    assert not any(os.path.exists(f"/proc/{pid}") for pid in processes)
