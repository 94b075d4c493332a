# SPDX-License-Identifier: Apache-2.0
"""aliquotctl why: each cause by what the API server shows of it."""
import json
import re

import pytest
from aliquotctl import ROOT, run
from fake_cluster import Cluster, node, pod, serving


def unschedulable(message):
    """The condition that kube-scheduler writes."""
    return {"conditions": [{"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": message}]}


def event(of, reason, message, kind="Pod", last="2026-01-01T00:00:00Z"):
    """An event on the object of that name."""
    return {"reason": reason, "message": message, "lastTimestamp": last,
            "involvedObject": {"kind": kind, "name": of, "uid": "u-" + of}}


def owned(made, kind, name):
    """The pod, made by this object."""
    made["metadata"]["ownerReferences"] = [{"kind": kind, "name": name, "controller": True}]
    return made


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


GPU = ("0/1 nodes are available: 1 the pod fits in sum, not on one card. no new claims to deallocate, preemption: 0/1 nodes are "
       "available: 1 Preemption is not helpful for scheduling.")
TAINT = {"key": "dedicated", "value": "ml", "effect": "NoSchedule"}


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
    ({"status": unschedulable("0/1 nodes are available: 1 Insufficient cpu.")}, "cpu_or_memory", "lack processor"),
    ({"status": {"conditions": [{"type": "PodScheduled", "status": "False", "reason": "SchedulerError",
                                 "message": 'Post "https://h/scheduler/filter": connection refused'}]}}, "extender_down",
     "connection refused"),
    ({"status": {"phase": "Failed", "reason": "UnexpectedAdmissionError", "message": "no cards"}}, "kubelet_refused", "no cards"),
])
def test_each_cause_has_its_code_and_sentence(why, changes, expected, part):
    done = why(pod("small", 10, 1024, **changes), "-o", "json")
    assert code(done) == expected and part in done.stdout, done.stdout


def test_what_a_node_says_is_not_told_to_the_terminal(why):
    done = why(pod("small", 10, 1024, status={"phase": "Failed", "reason": "Odd\x1b[2J\nGPU free"}))
    assert done.stdout == "team/small: it has failed: Odd?[2J?GPU free\n"


def test_a_taint_that_keeps_it_from_free_cards_is_named_as_the_scheduler_does_not(why, cluster):
    cluster.nodes.append(node("b"))
    cluster.nodes[1]["spec"]["taints"] = [TAINT]
    done = why(pod("train", 40, 3072, status=unschedulable("0/2 nodes are available: 1 node(s) had untolerated taint(s), 1 the pod "
                                                           "fits in sum, not on one card.")))
    assert done.stdout == ("team/train: fragmented: 60 % and 24576 MiB are free in sum on node a, but 40 % and 3072 MiB on no one card "
                           "of any node that it may use; GPUs are free on b, but it does not tolerate the taint "
                           "dedicated=ml:NoSchedule\n")
    cluster.nodes[0]["spec"]["taints"] = [TAINT]
    cluster.pods.pop()
    done = why(pod("train", 40, 3072, status=unschedulable("0/2 nodes are available: 2 node(s) had untolerated taint(s).")))
    assert done.stdout == ("team/train: GPUs are free on b, but it does not tolerate the taint dedicated=ml:NoSchedule; add a "
                           "toleration, or take the taint away\n")


def test_a_selector_that_leaves_no_node_with_cards_is_named(why):
    done = why(pod("small", 10, 1024, spec={"nodeSelector": {"pool": "gpu"}}, status=unschedulable(
        "0/1 nodes are available: 1 node(s) didn't match Pod's node affinity/selector.")), "-o", "json")
    assert code(done) == "affinity" and "GPUs are free on a, but its nodeSelector asks for the label pool=gpu" in done.stdout


def test_nodes_are_read_once(why, cluster):
    why(pod("train", 40, 3072, status=unschedulable(GPU)))
    assert [path for _, path, _ in cluster.requests].count("/api/v1/nodes") == 1


def test_a_resource_claim_that_is_not_there_is_named(why):
    claims = [{"name": "dev", "resourceClaimName": "gone"}, {"name": "made", "resourceClaimTemplateName": "t"}]
    done = why(pod("small", 10, 1024, spec={"resourceClaims": claims}), "-o", "json")
    assert code(done) == "resource_claim"
    assert "gone (does not exist), made (not made from template t yet)" in done.stdout


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
    cluster.events = [event("held", "GpuGrantRefused", "container main: card_busy: GPU 0")]
    done = why(pod("held", 10, 1024, "a", [0], status={"phase": "Pending"}), "-o", "json")
    assert code(done) == "agent_refused" and "card_busy: GPU 0" in done.stdout


def test_a_running_pod_is_told_node_and_cards(why):
    done = why(pod("held", 10, 1024, "a", [1]))
    assert done.stdout == "team/held: it runs on node a: container main holds GPU-00000001-aaaa (10 %, 1024 MiB)\n"


def test_a_pod_without_our_resources_is_told_so(why):
    other = pod("web", 1)
    other["spec"]["containers"] = [{"name": "main"}]
    assert "it asks for no tencent.com/vcuda-core, so Aliquot has no part in it" in why(other).stdout


QUOTA = ('Error creating: pods "web-5d9f8c7b4-x" is forbidden: exceeded quota: gpus, requested: requests.tencent.com/vcuda-core=40, '
         "used: requests.tencent.com/vcuda-core=80, limited: requests.tencent.com/vcuda-core=100")


def ask(cluster, folder, *words):
    """The finished program on this cluster."""
    with serving(cluster, folder) as kubeconfig:
        return run("why", *words, "--kubeconfig", kubeconfig)


def test_a_quota_is_read_from_the_event_of_the_deployments_replica_set(cluster, tmp_path):
    cluster.events = [event("web-api-5d9f8c7b4", "FailedCreate", "not ours", "ReplicaSet"),
                      event("web-5d9f8c7b4", "FailedCreate", QUOTA, "ReplicaSet")]
    done, other = (ask(cluster, tmp_path, subject) for subject in ("deployment/web", "deployment/we"))
    assert done.returncode == 0
    assert done.stdout.startswith("team/web: its pods are not created for want of quota: exceeded quota: gpus, requested:")
    assert other.returncode == 1 and "there is no pod team/we" in other.stderr


def test_a_deployment_is_answered_for_by_its_pod_that_waits(cluster, tmp_path):
    cluster.pods += [owned(pod("web-1", 10, 1024, "a", [0]), "ReplicaSet", "web-5d9f8c7b4"),
                     owned(pod("web-2", 40, 3072, status=unschedulable(GPU)), "ReplicaSet", "web-5d9f8c7b4")]
    cluster.events = [event("web-5d9f8c7b4", "FailedCreate", QUOTA, "ReplicaSet")]
    done = ask(cluster, tmp_path, "deploy/web")
    assert done.stdout.startswith("team/web-2: fragmented: "), done.stderr
    # The pods are of 2020, so the quota came after them.
    assert "it has 2 pods" in done.stderr and "more of its pods are not created for want of quota" in done.stderr
    cluster.events[0]["lastTimestamp"] = "2019-01-01T00:00:00Z"
    assert "quota" not in ask(cluster, tmp_path, "deploy/web").stderr


def test_of_a_refusal_by_our_admission_the_sentence_is_shown(cluster, tmp_path):
    cluster.events = [event("web-5d9f8c7b4", "FailedCreate", 'Error creating: admission webhook "mutate.admission.aliquot.io" denied '
                            "the request: vcuda-core is 150; use a multiple of 100", "ReplicaSet")]
    done = ask(cluster, tmp_path, "deployments.apps/web", "-o", "json")
    assert code(done) == "admission_refused"
    assert json.loads(done.stdout)["sentence"] == "its pods are not created: vcuda-core is 150; use a multiple of 100"


def test_a_pod_that_is_gone_is_looked_for_among_events(cluster, tmp_path):
    cluster.events = [event("old", "Preempted", "Preempted by pod 1 on node a")]
    done = ask(cluster, tmp_path, "old", "-o", "json")
    assert code(done) == "preempted" and "Preempted by pod 1 on node a" in done.stdout


def test_what_may_not_be_read_is_a_note_and_the_rest_goes_on(why, cluster):
    cluster.forbidden = {"nodes"}
    done = why(pod("small", 10, 1024, status=unschedulable("0/1 nodes are available: 1 node(s) had untolerated taint(s).")))
    assert "does not tolerate the nodes' taints" in done.stdout
    assert done.stderr.startswith("note: ") and "the nodes' cards are not looked at" in done.stderr


def test_events_that_may_not_be_read_are_a_note(why, cluster):
    cluster.forbidden = {"events"}
    done = why(pod("held", 10, 1024, "a", [1]))
    assert "it runs on node a" in done.stdout and "events are not looked at" in done.stderr


def test_only_reads_are_sent(why, cluster):
    why(pod("train", 40, 3072, status=unschedulable(GPU)))
    assert {command for command, *_ in cluster.requests} == {"GET"}


def test_the_reference_has_every_code_and_no_other():
    page = (ROOT / "docs" / "reference" / "aliquotctl.md").read_text().split("\n## why\n")[1].split("\n## ")[0]
    listed = set(re.findall(r"`([a-z_]+)`", "".join(line.split("|")[1] for line in page.splitlines() if line.startswith("| `"))))
    source = "".join(path.read_text() for path in sorted((ROOT / "src" / "cli" / "why").glob("*.cc")))
    # WhyAnswer and the like begin with their code; the table of the scheduler's words has it second.
    told = set(re.findall(r'(?:return \{\s*|Refused\(|^ {6}(?:\? )?\{)"([a-z_]+)"', source, flags=re.MULTILINE))
    told |= set(re.findall(r'^    \{"[^"]+",\s+"([a-z_]+)"', source, flags=re.MULTILINE))
    refusals = set(re.findall(r'return \{"([a-z_]+)",', (ROOT / "src" / "scoring" / "refusal.cc").read_text()))
    assert told - listed == set()
    assert listed - told - refusals == {"code"}
