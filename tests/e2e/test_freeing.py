# SPDX-License-Identifier: Apache-2.0
"""When cards become free again, and when not."""
import pytest

from harness import nodes, pods
from harness.waiting import throughout, until


@pytest.mark.core
def test_deleting_a_pod_frees_its_card(work):
    work.add_node(cards=1)
    work.create(pods.whole("first"))
    work.wait_bound("first")
    work.create(pods.whole("second"))
    work.wait_refused("second")
    work.delete("first")
    work.wait_bound("second")
    work.ledger().check()


def test_a_freed_card_is_taken_every_time(work):
    # kube-scheduler learns of the end of a pod by another connection than we do, and is often faster.
    # A pod that it asks about too early must not be forgotten: nothing else would wake it.
    work.add_node(cards=2)
    work.create(pods.share("other", core=60, memory=15))
    work.create(pods.share("holder-0", core=60, memory=15))
    work.wait_bound("other", "holder-0")
    for turn in range(15):
        work.create(pods.share(f"holder-{turn + 1}", core=60, memory=15))
        work.wait_refused(f"holder-{turn + 1}")
        work.delete(f"holder-{turn}")
        work.wait_bound(f"holder-{turn + 1}", timeout=5)
    work.ledger().check()


def test_a_terminating_pod_keeps_its_card_until_it_is_gone(work):
    # Room by kube-scheduler's own count, so that only our ledger stands in the way.
    node = work.add_node(cards=2)
    for name in ("first", "other"):
        work.create(pods.share(name, core=60, memory=15))
    work.wait_bound("first", "other")
    work.delete("first", grace=30)
    assert work.pod("first")["metadata"]["deletionTimestamp"]
    work.create(pods.share("waits", core=50, memory=15))
    work.wait_refused("waits")
    throughout("the terminating pod keeps its card",
               lambda: not pods.node_of(work.pod("waits")), seconds=2)
    work.delete("first")
    assert pods.node_of(work.wait_bound("waits")) == node
    work.ledger().check()


def test_a_finished_job_frees_at_succeeded_while_its_pod_still_exists(work):
    work.add_node(cards=2)
    work.create(pods.share("other", core=60, memory=15))
    work.wait_bound("other")
    template = pods.share("unused", core=60, memory=15)
    template["spec"].update(restartPolicy="Never", nodeSelector={nodes.GROUP_LABEL: work.name})
    work.api.post(f"/apis/batch/v1/namespaces/{work.name}/jobs", {
        "apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "train"},
        "spec": {"backoffLimit": 0, "template": {
            "metadata": {"labels": {"job": "train"}}, "spec": template["spec"]}}})

    def job_pod():
        return next((each for each in work.pods()[0]
                     if each["metadata"]["name"].startswith("train-") and pods.node_of(each)), None)

    name = until("the job's pod to be bound", job_pod)["metadata"]["name"]
    pods.report_phase(work.api, work.name, name, "Running")
    work.create(pods.share("waits", core=50, memory=15))
    work.wait_refused("waits")
    pods.report_phase(work.api, work.name, name, "Succeeded")
    work.wait_bound("waits")
    assert work.pod(name)["status"]["phase"] == "Succeeded"
    job = until("the job to be complete", lambda: [each for each in work.api.get(
        f"/apis/batch/v1/namespaces/{work.name}/jobs/train")["status"].get("conditions", [])
        if each["type"] == "Complete" and each["status"] == "True"])
    assert job
    work.ledger().check()


def test_a_pod_created_again_under_the_same_name_is_another_pod(work):
    work.add_node(cards=1)
    for _ in range(3):
        work.create(pods.whole("same"))
        work.wait_bound("same")
        work.ledger().check()
        work.delete("same")
    work.create(pods.whole("last"))
    work.wait_bound("last")
    work.ledger().check()
