# SPDX-License-Identifier: Apache-2.0
"""A real node runs pods at all, on both container runtimes, and leaves nothing behind."""
import pytest

from harness import images, pods, runtime


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
