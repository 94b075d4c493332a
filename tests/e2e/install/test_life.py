# SPDX-License-Identifier: Apache-2.0
"""The life of an installation, in order, on one real cluster: install, GPU pods of every kind, helm
test, upgrade and rollback while pods come and go, rotation, a crash, uninstall.

What must hold throughout is read from the API alone: a pod that was placed keeps node, record and
container, no card holds more than it has (harness/ledger_checker.py), and whoever creates a pod is
let in.
"""
import json
import ssl
import time

import pytest

from harness import images, install_images, pods
from harness.api import STRATEGIC_PATCH
from harness.arrivals import Arrivals
from harness.expectations import wait_refused_start
from harness.install_workspace import InstallWorkspace
from harness.unguarded import unguarded
from harness.waiting import until

SCHEDULER = "aliquot"
SIGNATURE = "aliquot.io/allocation-signature"
TEST_POD = "aliquot-test"


@pytest.fixture(scope="module")
def tenants(installed):
    """Pods that stay from the installation to the end: {name: (node, record)} once placed."""
    made = InstallWorkspace(installed.cluster, "tenants")
    made.at_first = {}
    return made


def _kept(tenants):
    """Fails unless every pod that stays has its place, its record and its containers."""
    placements, started = tenants.at_first
    assert tenants.placements() == placements
    assert tenants.started() == started
    tenants.ledger().check()


def test_default_values_bring_up_everything_and_gpu_pods_are_let_in(installed):
    installed.install()
    for component in ("allocator", "agent", "scheduler"):
        pod = installed.pod_of(component)
        statuses = pod["status"]["containerStatuses"]
        assert all(each["ready"] for each in statuses), f"{component}: {statuses}"
        assert installed.cluster.nodes[0].cards(), "the node offers no cards"


KINDS = {
    "share": lambda: pods.share("share", core=20, memory=15),
    "whole": lambda: pods.whole("whole"),
    "several": lambda: pods.pod("several", [pods.container(core=10, memory=4),
                                            pods.container("side", core=30, memory=8)]),
    "init": lambda: pods.pod("init", [pods.container(core=20, memory=8)], init=[
        pods.container("first", core=40, memory=8, args=["report"])]),
    "spread": lambda: pods.share("spread", core=20, memory=8, annotations={pods.GPU_COUNT: "2"}),
}


@pytest.mark.parametrize("kind", KINDS)
def test_a_gpu_pod_runs_on_exactly_the_cards_of_its_record(work, kind):
    built = KINDS[kind]()
    assert "schedulerName" not in built["spec"]
    work.create(built)
    pod = work.wait_running(kind)
    # Nobody named a scheduler: the webhook did.
    assert pod["spec"]["schedulerName"] == SCHEDULER
    granted = work.granted(kind)
    for container in [each["name"] for each in pod["spec"]["containers"]]:
        report = work.report(kind, container)
        assert report.cards() == granted[container] == report.reachable_cards()
    work.ledger().check()


def test_two_whole_cards_in_one_container_are_two_cards(work):
    work.create(pods.whole("pair", cards=2))
    work.wait_running("pair")
    assert len(work.granted("pair")["main"]) == 2
    assert work.report("pair").cards() == work.granted("pair")["main"]


def test_a_pod_without_gpu_is_neither_changed_nor_seen_by_us(work):
    built = pods.pod("plain", [pods.container(image=images.GREEDY)])
    created = work.create(built)
    assert created["spec"].get("schedulerName") == "default-scheduler"
    assert pods.GPU_LABEL not in (created["metadata"].get("labels") or {})
    work.wait_running("plain")
    report = work.report("plain")
    assert report.cards() == [] and report.reachable_cards() == []
    assert report.environment.get("NVIDIA_VISIBLE_DEVICES") == "all", "the image's own, untouched"


def test_a_pod_that_a_batch_scheduler_binds_runs_on_cards_of_its_own(installed, work):
    # As Volcano and its like do it: a plain Binding by a user whom nobody told us about.
    work.create(pods.share("batch", core=40, memory=8, scheduler="volcano"))
    work.bind("batch", installed.cluster.nodes[0].name)
    work.wait_running("batch")
    assert work.report("batch").cards() == work.granted("batch")["main"]
    work.ledger().check()


def test_helm_test_passes_and_says_what_it_looked_at(installed):
    status, text = installed.test()
    assert status == 0, text
    # --logs reads the log of a pod that has ended well.
    assert "one allocator is ready" in text, text


def test_pods_that_stay_are_placed(tenants):
    for number in range(3):
        tenants.create(pods.share(f"stays-{number}", core=30, memory=10))
    tenants.create(pods.whole("stays-whole"))
    tenants.wait_running("stays-0", "stays-1", "stays-2", "stays-whole")
    tenants.at_first = (tenants.placements(), tenants.started())
    _kept(tenants)


def test_an_upgrade_to_changed_values_keeps_every_placement_while_pods_come_and_go(
        installed, tenants, work):
    before = installed.pod_of("allocator")["metadata"]["uid"]
    # One replica, and never two at one time: GPU pods are refused for the moment in between, and
    # whoever created them tries again.
    with Arrivals(work, refusals=True) as arrivals:
        installed.upgrade(allocator={"config": {"log": {"level": "debug"}}},
                          agent={"config": {"log": {"level": "debug"}}})
        arrivals.wait_for(3)
    assert installed.pod_of("allocator")["metadata"]["uid"] != before, "nothing was upgraded"
    arrivals.check()
    _kept(tenants)


def test_a_rollback_keeps_every_placement_while_pods_come_and_go(installed, tenants, work):
    with Arrivals(work, refusals=True) as arrivals:
        installed.rollback()
        arrivals.wait_for(3)
    arrivals.check()
    _kept(tenants)


def test_an_upgrade_to_the_next_version_of_the_record_and_back_keeps_every_placement(
        installed, tenants, work):
    image = {"image": {"tag": install_images.NEXT}}
    with Arrivals(work, refusals=True) as arrivals:
        installed.upgrade(allocator=image, agent=image)
        arrivals.wait_for(3)
    arrivals.check()
    _kept(tenants)
    tenants.create(pods.share("of-the-next", core=30, memory=10))
    tenants.wait_running("of-the-next")
    assert json.loads(tenants.placements()["of-the-next"][1])["v"] == 2
    tenants.at_first = (tenants.placements(), tenants.started())
    # The release before can't read the new record; it goes by the index that gpu-manager's users know.
    with Arrivals(work, refusals=True, unread=True) as arrivals:
        installed.rollback()
        arrivals.wait_for(3)
    arrivals.check()
    _kept(tenants)
    work.delete_pods()
    # The books know what the next release's pod holds: two whole cards are left beside it, not three.
    used = tenants.ledger().used(installed.cluster.nodes[0].name)
    assert sum(used) == 3 * 30 + 100 + 30
    free = sum(1 for core in used if core == 0)
    work.create(pods.whole("too-much", cards=free + 1))
    work.create(pods.whole("all-that-is-left", cards=free))
    work.wait_running("all-that-is-left")
    assert work.wait_refused("too-much")
    work.ledger().check()


def test_a_new_authority_under_load_refuses_no_pod_and_no_call(installed, tenants, work):
    before = installed.secret("aliquot-ca")
    with Arrivals(work) as arrivals:
        arrivals.wait_for(1)
        installed.api.patch(f"/api/v1/namespaces/{installed.namespace}/secrets/aliquot-ca",
                            {"metadata": {"annotations": {"aliquot.io/rotate": "now"}}})
        until("another authority", lambda: installed.secret("aliquot-ca")["ca.crt"]
              != before["ca.crt"], timeout=30)
        arrivals.wait_for(4)
    arrivals.check()
    # kube-scheduler read its certificates when it started: it needed no restart.
    assert installed.pod_of("scheduler")["status"]["containerStatuses"][0]["restartCount"] == 0
    _kept(tenants)


def test_keys_and_certificates_of_a_short_life_change_under_load_and_no_call_or_start_is_refused(
        installed, tenants, work):
    # In this cluster a kubelet brings a new public key to the agent's pod within three seconds; where it
    # takes a minute, as by default, the delay is five.
    installed.upgrade(allocator={"config": {"managedTls": {"leafLifetime": "20s"},
                                            "managedSigning": {"activationDelay": "6s"}}})
    first, served = _public_keys(installed), {_served(installed)}

    def signed_by(keys):
        served.add(_served(installed))
        found = {pods.annotations_of(each).get(SIGNATURE, ":").split(":")[0]
                 for each in work.pods()[0]}
        return found & keys

    with Arrivals(work) as arrivals:
        # The upgrade's own: for a moment kube-proxy may not know the new allocator yet.
        arrivals.wait_for(1)
        early = set(_refused(installed, work))
        for turn in range(2):
            before = _public_keys(installed)
            installed.api.patch(
                f"/api/v1/namespaces/{installed.namespace}/secrets/aliquot-signing",
                {"metadata": {"annotations": {"aliquot.io/rotate": f"turn {turn}"}}})
            until("another key to be published", lambda known=before: _public_keys(
                installed) - known, timeout=20)
            published = time.monotonic()
            assert not signed_by(_public_keys(installed) - before), "it is used before its time"
            until("records to be signed by it", lambda known=before: signed_by(
                _public_keys(installed) - known), timeout=30)
            assert time.monotonic() - published >= 6, "agents had no time to see it"
            arrivals.wait_for(1)
        until("the third certificate", lambda: signed_by(first) is not None and len(served) >= 3,
              timeout=40)
    arrivals.check()
    assert len(_public_keys(installed) - first) == 2
    wrong = {name: said for name, said in _refused(installed, work).items() if name not in early}
    assert not wrong, wrong
    _kept(tenants)


def _refused(installed, work):
    """What was refused to a test's pods on their way onto a card: {event: message}."""
    found = installed.api.get(f"/api/v1/namespaces/{work.name}/events")["items"]
    return {each["metadata"]["name"]: each.get("message") for each in found
            if each["reason"] in ("GpuGrantRefused", "FailedScheduling")}


def _public_keys(installed):
    """The ids of the keys by which agents verify records."""
    found = installed.api.get(
        f"/api/v1/namespaces/{installed.namespace}/configmaps/aliquot-signing-keys")
    return {name.removesuffix(".pem") for name in found.get("data") or {}}


def _served(installed):
    """The certificate that the webhooks' listener shows now."""
    service = installed.api.get(
        f"/api/v1/namespaces/{installed.namespace}/services/aliquot-admission")["spec"]
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    with installed.cluster.box.connect(service["ports"][0]["port"],
                                       host=service["clusterIP"]) as connected:
        with context.wrap_socket(connected) as secured:
            return secured.getpeercert(binary_form=True)


def test_without_its_guards_a_record_that_is_not_ours_is_refused_on_the_node(installed, work):
    node = installed.cluster.nodes[0]
    work.create(pods.share("neighbour"))
    theirs = pods.annotations_of(work.wait_running("neighbour"))
    with unguarded(installed):
        # By an update: a card that nobody gave to it, and what is signed for its neighbour.
        for name in ("forger", "thief"):
            work.create_held(pods.share(name))
        record = json.loads(pods.annotations_of(work.pod("forger"))[pods.ALLOCATION])
        (card,) = record["containers"]["main"]["cards"]
        card["uuid"] = next(uuid for uuid in node.cards() if uuid != card["uuid"])
        work.patch_metadata("forger", annotations={pods.ALLOCATION: json.dumps(record)})
        work.patch_metadata("thief", annotations={
            key: theirs[key] for key in (pods.ALLOCATION, SIGNATURE)})
        # By the Binding of a scheduler that the chart's values name.
        uid = work.create(pods.share("bound", scheduler="nobody"))["metadata"]["uid"]
        record = {**json.loads(theirs[pods.ALLOCATION]), "uid": uid}
        installed.cluster.plane.client("scheduler").post(
            f"/api/v1/namespaces/{work.name}/pods/bound/binding", {
                "apiVersion": "v1", "kind": "Binding",
                "metadata": {"name": "bound", "annotations": {
                    pods.ALLOCATION: json.dumps(record), SIGNATURE: theirs[SIGNATURE]}},
                "target": {"kind": "Node", "name": node.name}})
        assert json.loads(pods.annotations_of(work.pod("bound"))[pods.ALLOCATION]) == record
        for name in ("forger", "thief"):
            work.let_go(name)
        for name, reason in (("forger", "bad_signature"), ("thief", "wrong_pod"),
                             ("bound", "bad_signature")):
            sentence = wait_refused_start(work, name, reason)
            assert f"pod {work.name}/{name}" in sentence, sentence
    # What one gets who looks into a running pod from another container of it: none of its cards.
    debug = {"name": "debug", "image": images.GREEDY, "imagePullPolicy": "Never",
             "targetContainerName": "main"}
    installed.api.patch(
        f"/api/v1/namespaces/{work.name}/pods/neighbour/ephemeralcontainers",
        {"metadata": {"annotations": {pods.ALLOCATION: "{}"}},
         "spec": {"ephemeralContainers": [debug]}}, content_type=STRATEGIC_PATCH)
    report = work.report("neighbour", "debug")
    assert report.cards() == [] and report.reachable_cards() == []
    assert pods.annotations_of(work.pod("neighbour")) == theirs


def test_a_killed_allocator_comes_back_and_nothing_is_lost_or_doubled(installed, tenants, work):
    pod = installed.pod_of("allocator")
    container = pod["status"]["containerStatuses"][0]["containerID"].split("://")[1]
    with Arrivals(work, refusals=True) as arrivals:
        arrivals.wait_for(1)
        installed.cluster.nodes[0].runtime.ctr("tasks", "kill", "--signal", "SIGKILL", container)
        until("the allocator to have been started again", lambda: installed.pod_of("allocator")[
            "status"]["containerStatuses"][0]["restartCount"] == 1, timeout=60)
        arrivals.wait_for(4, timeout=60)
    arrivals.check()
    _kept(tenants)


def test_uninstalling_leaves_running_pods_alone_and_nothing_of_ours(installed, tenants):
    started = tenants.started()
    installed.uninstall()
    # helm keeps the pod of a test, which has ended, for its log; its rights are gone already.
    until("our pods to be gone", lambda: [each["metadata"]["name"] for each in installed.api.get(
        f"/api/v1/namespaces/{installed.namespace}/pods")["items"]] in ([], [TEST_POD]), timeout=60)
    assert tenants.started() == started, "a running pod was disturbed"
    left = _left_behind(installed)
    assert left == [], f"left behind: {left}"
    # And nobody is in the way of pods any more, GPU pods included.
    tenants.create(pods.share("later"))
    assert tenants.pod("later")["metadata"].get("labels") is None


def _left_behind(installed):
    """Every object of the cluster that names us in its labels or its name, events excepted."""
    kinds = installed.cluster.kubectl(
        "api-resources", "--verbs=list", "-o", "name")[1].split()
    kinds = [each for each in kinds if not each.startswith(("events", "componentstatuses"))]
    ours = [each for each in installed.cluster.listed(",".join(kinds), "--all-namespaces")
            if each["metadata"]["name"].startswith("aliquot")
            or (each["metadata"].get("labels") or {}).get("app.kubernetes.io/part-of") == "aliquot"]
    return [f"{each['kind']} {each['metadata']['name']}" for each in ours
            if (each["kind"], each["metadata"]["name"]) not in (
                ("Namespace", installed.namespace), ("Pod", TEST_POD))]
