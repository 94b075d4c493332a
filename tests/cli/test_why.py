# SPDX-License-Identifier: Apache-2.0
"""aliquotctl why: each cause by what the API server shows of it."""
import json

import pytest
from aliquotctl import run
from fake_cluster import Cluster, node, pod, serving


def unschedulable(message):
    """The condition that kube-scheduler writes."""
    return {"conditions": [{"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": message}]}


def event(of, reason, message, source, kind="Pod"):
    """An event on the pod of that name."""
    return {"reason": reason, "message": message, "source": {"component": source}, "lastTimestamp": "2026-01-01T00:00:00Z",
            "involvedObject": {"kind": kind, "name": of, "uid": "u-" + of}}


@pytest.fixture(name="cluster")
def _cluster():
    cluster = Cluster()
    # One node of two cards of 16384 MiB; on each 70 % are taken: 30 % are free on each, 60 % in sum.
    cluster.nodes = [node("a")]
    cluster.pods = [pod("old-0", 70, 4096, "a", [0]), pod("old-1", 70, 4096, "a", [1])]
    return cluster


@pytest.fixture(name="why")
def _why(cluster, tmp_path):
    def ask(asked, *words):
        cluster.pods.append(asked)
        with serving(cluster, tmp_path) as kubeconfig:
            done = run("why", asked["metadata"]["name"], "--kubeconfig", kubeconfig, *words)
        assert done.returncode == 0, done.stderr
        return done
    return ask


def code(done):
    """Of an answer in JSON."""
    return json.loads(done.stdout)["code"]


GPU = "0/1 nodes are available: 1 the pod fits in sum, not on one card. preemption: 0/1 nodes are available"


def test_a_pod_that_fits_in_sum_only_is_told_the_figures(why):
    done = why(pod("train", 40, 3072, status=unschedulable(GPU)))
    # 2 x 30 % and 2 x (16384 - 4096) MiB
    assert done.stdout == ("team/train: fragmented: 60 % and 24576 MiB are free in sum on node a, but 40 % and 3072 MiB on no "
                           "one card of any node\n")
    assert done.stderr == ""


def test_all_nodes_adds_the_table(why):
    lines = why(pod("train", 40, 3072, status=unschedulable(GPU)), "--all-nodes").stdout.splitlines()
    assert lines[1].split() == ["NODE", "FITS", "REASON", "CARDS", "IDLE", "LARGEST", "CORE", "LARGEST", "MIB"]
    assert lines[2].startswith("a ") and "the pod fits in sum, not on one card" in lines[2]


@pytest.mark.parametrize("changes, expected, part", [
    ({}, "no_scheduler", "spec.schedulerName is default-scheduler"),
    ({"spec": {"schedulerName": "mine"}}, "no_scheduler", "spec.schedulerName is mine"),
    ({"spec": {"schedulingGates": [{"name": "queue.example.com/wait"}]}}, "scheduling_gates", "queue.example.com/wait"),
    ({"status": unschedulable("0/1 nodes are available: 1 node(s) had untolerated taint {gpu: true}.")}, "taints",
     "GPUs are free on a, but it does not tolerate"),
    ({"status": unschedulable("0/1 nodes are available: 1 Insufficient cpu.")}, "cpu_or_memory", "lack processor"),
    ({"status": {"conditions": [{"type": "PodScheduled", "status": "False", "reason": "SchedulerError",
                                 "message": "extender: connection refused"}]}}, "scheduler_error", "connection refused"),
    ({"status": {"phase": "Failed", "reason": "UnexpectedAdmissionError", "message": "no cards"}}, "kubelet_refused", "no cards"),
])
def test_each_cause_has_its_code_and_sentence(why, changes, expected, part):
    done = why(pod("small", 10, 1024, **changes), "-o", "json")
    assert code(done) == expected and part in done.stdout, done.stdout


def test_claims_that_are_not_bound_are_named(why, cluster):
    cluster.claims = {"data": "Pending", "good": "Bound"}
    volumes = [{"name": n, "persistentVolumeClaim": {"claimName": n}} for n in ("data", "good", "gone")]
    done = why(pod("small", 10, 1024, spec={"volumes": volumes}, status=unschedulable(
        'persistentvolumeclaim "gone" not found')), "-o", "json")
    assert code(done) == "volume"
    assert "data (Pending), gone (does not exist)" in done.stdout and "good (" not in done.stdout


def test_nodes_with_another_plugin_and_no_published_cards_are_named(why, cluster):
    cluster.nodes, cluster.pods = [node("b", cards=0)], []
    done = why(pod("small", 10, 1024, status=unschedulable("0/1 nodes are available: 1 no aliquot-agent.")), "-o", "json")
    assert code(done) == "old_plugin" and "to Aliquot: b;" in done.stdout


def test_no_node_with_cards_is_no_agents(why, cluster):
    cluster.nodes, cluster.pods = [node("b", cards=0, core="")], []
    done = why(pod("small", 10, 1024, status=unschedulable("0/1 nodes are available: 1 no aliquot-agent.")), "-o", "json")
    assert code(done) == "no_agents"


def test_agents_that_are_gone_are_named(why, cluster):
    cluster.nodes, cluster.pods = [node("a", core="0")], []
    done = why(pod("small", 10, 1024, status=unschedulable(
        "0/1 nodes are available: 1 Insufficient tencent.com/vcuda-core.")), "-o", "json")
    assert code(done) == "agents_gone" and "now: a;" in done.stdout


def test_the_agents_refusal_is_the_answer_for_a_container_that_does_not_start(why, cluster):
    cluster.events = [event("held", "GrantRefused", "card_busy: GPU 0", "aliquot-agent")]
    done = why(pod("held", 10, 1024, "a", [0], status={"phase": "Pending"}), "-o", "json")
    assert code(done) == "agent_refused" and "card_busy: GPU 0" in done.stdout


def test_a_running_pod_is_told_node_and_cards(why):
    done = why(pod("held", 10, 1024, "a", [1]))
    assert done.stdout == "team/held: it runs on node a: container main holds GPU-00000001-aaaa (10 %, 1024 MiB)\n"


def test_a_pod_without_our_resources_is_told_so(why):
    other = pod("web", 1)
    other["spec"]["containers"] = [{"name": "main"}]
    assert "it asks for no tencent.com/vcuda-core, so Aliquot has no part in it" in why(other).stdout


def test_a_quota_is_read_from_the_owners_event(cluster, tmp_path):
    cluster.events = [event("web-5d9", "FailedCreate", "exceeded quota: gpus, requested: 40", "replicaset-controller", "ReplicaSet")]
    with serving(cluster, tmp_path) as kubeconfig:
        done = run("why", "deployment/web", "--kubeconfig", kubeconfig)
        other = run("why", "deployment/we", "--kubeconfig", kubeconfig)
    assert done.returncode == 0
    assert done.stdout == "team/web: its pods are not created for want of quota: exceeded quota: gpus, requested: 40\n"
    assert other.returncode == 1 and "there is no pod team/we" in other.stderr


@pytest.mark.parametrize("what, part", [("nodes", "the nodes' cards are not looked at"), ("events", "events are not looked at")])
def test_what_may_not_be_read_is_a_note_and_the_rest_goes_on(why, cluster, what, part):
    cluster.forbidden = {what}
    done = why(pod("small", 10, 1024, status=unschedulable("0/1 nodes are available: 1 node(s) had untolerated taint {x: }.")))
    assert "does not tolerate the nodes' taints" in done.stdout
    assert done.stderr.startswith("note: ") and part in done.stderr


def test_only_reads_are_sent(why, cluster):
    why(pod("train", 40, 3072, status=unschedulable(GPU)))
    assert {command for command, *_ in cluster.requests} == {"GET"}
