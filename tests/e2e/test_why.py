# SPDX-License-Identifier: Apache-2.0
"""Why a pod is pending: what the real kube-scheduler writes for each cause, and what aliquotctl makes of it.

The texts are kept in tests/data/kube-scheduler, a file a minor; the unit tests of src/cli/why read them. After a change of them

    KUBE_SCHEDULER_RECORD=write tests/e2e/run.sh tests/e2e/test_why.py

writes them anew.
"""
import json
import os
import pathlib
import re
import subprocess

import pytest

from harness import binaries, chart, pending_pods, pods
from harness.api import ApiError
from harness.pending_pods import CASE_LABEL, Case
from harness.processes import free_port
from harness.waiting import until

FOLDER = chart.ROOT / "tests" / "data" / "kube-scheduler"
PROGRAM = pathlib.Path(os.environ.get("ALIQUOTCTL", chart.ROOT / "out" / "bin" / "aliquotctl"))
# Nothing is ever said of these.
SILENT = {"no-scheduler", "device-claim-missing"}


def _why(cluster, namespace, subject):
    """What it prints as JSON."""
    done = subprocess.run([PROGRAM, "why", subject, "-n", namespace, "-o", "json", "--kubeconfig",
                           cluster.plane.kubeconfig("admin")], check=False, timeout=60, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def _condition(work, name):
    """Reason and message of PodScheduled."""
    found = until(f"the scheduler to speak of {name}", lambda: pods.condition(work.pod(name), "PodScheduled"))
    assert found["status"] == "False", f"{name} was bound"
    return found["reason"], found.get("message", "")


def _create_objects(cluster, work, case):
    for path, built in case.objects:
        text = json.dumps(built).replace("NAMESPACE", work.name)
        cluster.api.post(path.replace("NAMESPACE", work.name), json.loads(text))


def _remove_objects(cluster, case):
    """Those that the namespace does not hold."""
    for path, built in case.objects:
        if "NAMESPACE" not in path:
            cluster.api.delete(f"{path}/{built['metadata']['name']}")


def _post(work, built, case):
    """Creates a pod that may run only on the case's node."""
    built["spec"].setdefault("nodeSelector", {})[CASE_LABEL] = case.name
    work.api.post(f"/api/v1/namespaces/{work.name}/pods", built)


def _observe(cluster, work, case, seen):
    reason, message = ("", "") if case.name in SILENT else _condition(work, case.name)
    seen.append({"name": case.name, "code": case.code, "text_code": case.text_code or case.code,
                 "gpu": case.cards > 0, "reason": reason, "message": message.replace(work.name, "NAMESPACE")})
    told = _why(cluster, work.name, case.name)
    assert told["code"] == case.code, (case.name, told, message)


def _alone(cluster, work, case, seen):
    """On a cluster that has no other node."""
    if case.name != "no-nodes":
        work.api.post("/api/v1/nodes", pending_pods.node_of(case, work.name))
    work.api.post(f"/api/v1/namespaces/{work.name}/pods", case.pod)
    _observe(cluster, work, case, seen)
    work.delete(case.name)
    if case.name != "no-nodes":
        work.api.delete(f"/api/v1/nodes/{work.name}-{case.name}")


def _lost_schedulers(cluster):
    """One whose extender does not answer, one whose extender knows nothing of scheduling."""
    for name, url in (("deaf", f"https://127.0.0.1:{free_port()}/scheduler"),
                      ("astray", f"https://{cluster.allocator.addresses['extender']}/elsewhere")):
        configuration = cluster.scheduler_configuration()
        configuration["profiles"] = [{"schedulerName": name}]
        configuration["extenders"][0]["urlPrefix"] = url
        yield cluster.start_scheduler(name, configuration)


def _shape(message):
    """Without what differs from run to run."""
    return re.sub(r"\d+", "N", message)


def _compare(minor, seen):
    path = FOLDER / f"{minor}.json"
    version = re.search(r"-(v\d+\.\d+\.\d+)-", binaries.folder(f"kubernetes-{minor}").name)[1]
    if os.environ.get("KUBE_SCHEDULER_RECORD") == "write":
        path.write_text(json.dumps({"kubernetes": version, "made_by": "KUBE_SCHEDULER_RECORD=write tests/e2e/test_why.py",
                                    "cases": seen}, indent=1) + "\n")
    recorded = json.loads(path.read_text())
    assert recorded["kubernetes"] == version
    told = {each["name"]: {**each, "message": _shape(each["message"])} for each in seen}
    kept = {each["name"]: {**each, "message": _shape(each["message"])} for each in recorded["cases"]}
    assert told == kept


@pytest.mark.core
def test_each_cause_is_told_by_the_schedulers_own_text(cluster, work, request):
    seen = []
    until("no other node to be there", lambda: not cluster.api.get("/api/v1/nodes")["items"])
    for case in (Case("no-nodes", "no_nodes", pending_pods.plain("no-nodes")), *pending_pods.ALONE):
        _alone(cluster, work, case, seen)
    lost = list(_lost_schedulers(cluster))
    request.addfinalizer(lambda: [each.process.kill() for each in lost])
    for case in pending_pods.TOGETHER:
        request.addfinalizer(lambda case=case: _remove_objects(cluster, case))
        _create_objects(cluster, work, case)
        work.api.post("/api/v1/nodes", pending_pods.node_of(case, work.name))
        for first in case.before:
            _post(work, first, case)
    work.wait_bound(*(each["metadata"]["name"] for case in pending_pods.TOGETHER for each in case.before))
    for case in pending_pods.TOGETHER:
        _post(work, case.pod, case)
    for case in pending_pods.TOGETHER:
        _observe(cluster, work, case, seen)
    _compare(cluster.minor, seen)


def _deployment(cluster, work, name, core):
    """A Deployment of one GPU pod with this request."""
    labels = {"app": name}
    template = pods.pod("unused", [pods.container(core=core, memory=15)])["spec"]
    del template["terminationGracePeriodSeconds"]
    cluster.api.post(f"/apis/apps/v1/namespaces/{work.name}/deployments", {
        "apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name},
        "spec": {"replicas": 1, "selector": {"matchLabels": labels},
                 "template": {"metadata": {"labels": labels}, "spec": template}}})


def _wait_code(cluster, work, subject, code):
    """Waits for the event behind it; returns the sentence."""
    def told():
        answer = _why(cluster, work.name, subject)
        assert answer["code"] == code, answer
        return answer["sentence"]
    return until(f"{subject} to be {code}", told)


def _quota(work, name, limit):
    """A ResourceQuota as its controller would have looked at it: that one does not run here."""
    path = f"/api/v1/namespaces/{work.name}/resourcequotas"
    hard = {f"requests.{pods.CORE}": str(limit)}
    work.api.post(path, {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": name}, "spec": {"hard": hard}})
    work.api.patch(f"{path}/{name}/status", {"status": {"hard": hard, "used": {f"requests.{pods.CORE}": "0"}}})


def test_what_keeps_a_deployment_from_making_pods_is_told(cluster, work):
    _quota(work, "gpus", 10)
    _deployment(cluster, work, "frugal", 20)
    _deployment(cluster, work, "wrong", 150)
    sentence = _wait_code(cluster, work, "deployment/frugal", "quota")
    assert "exceeded quota: gpus, requested: requests.tencent.com/vcuda-core=20" in sentence
    sentence = _wait_code(cluster, work, "deploy/wrong", "admission_refused")
    assert "denied the request" not in sentence and "150" in sentence
    cluster.allocator.process.kill()
    _deployment(cluster, work, "unlucky", 20)
    sentence = _wait_code(cluster, work, "deployments.apps/unlucky", "allocator_down")
    assert "connection refused" in sentence
    for name in ("frugal", "wrong", "unlucky"):
        cluster.api.delete(f"/apis/apps/v1/namespaces/{work.name}/deployments/{name}")


def test_a_pod_that_made_room_for_another_is_told_so(cluster, work):
    try:
        cluster.api.post("/apis/scheduling.k8s.io/v1/priorityclasses", {
            "apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": "why-first"}, "value": 9})
    except ApiError as error:
        assert error.code == 409, error
    work.add_node(cards=0)
    small = pending_pods.asking("small", {"cpu": "200"})
    small["spec"]["terminationGracePeriodSeconds"] = 0  # there is no kubelet to end it
    work.create(small)
    work.wait_bound("small")
    work.create(pending_pods.asking("large", {"cpu": "250"}, priorityClassName="why-first"))
    work.wait_bound("large")
    assert "Preempted by" in _wait_code(cluster, work, "small", "preempted")
