# SPDX-License-Identifier: Apache-2.0
"""docs/migrate/gpu-manager.md, rehearsed: a cluster with gpu-manager on two real nodes moves to Aliquot.

The kubectl lines are those of the page. What the page leaves to DaemonSets (which program runs where)
harness/gpu_manager.py does by the nodes' labels; gpu-manager is the stand-in described there.
"""
import pathlib
import re
import shutil
import tempfile
import types

import pytest

from harness import cgroups, chart, gpu_manager, images, pods, runtime
from harness.binaries import OLDEST
from harness.cluster import Cluster
from harness.expectations import cards_of
from harness.node_workspace import Report
from harness.real_node import RealNode
from harness.scheduler import plain_configuration
from harness.waiting import throughout, until

PAGE = chart.ROOT / "docs" / "migrate" / "gpu-manager.md"
TEAM = "team-a"
UNITS = 60  # of 256 MiB: the memory of a T4
DEPLOYMENT = f"/apis/apps/v1/namespaces/{TEAM}/deployments/train"


def commands(step, **names):
    """The kubectl lines of one step of the page, each a list of arguments."""
    section = re.search(rf"^## {step}\. .*?\n(.*?)(?=^## |\Z)", PAGE.read_text(),
                        flags=re.MULTILINE | re.DOTALL)[1]
    lines = re.findall(r"^kubectl (.*)$", section, flags=re.MULTILINE)
    assert lines, f"step {step} has no command"
    found = [[names.get(word, word) for word in line.split()] for line in lines]
    assert not any(word in ("NODE", "TEAM") for line in found for word in line), found
    return found


class Migration:
    """The cluster, and the page's steps on it."""

    def __init__(self, folder):
        self.cluster = Cluster(folder, OLDEST)
        self.api = self.cluster.api
        self.nodes = []
        self.daemons = self.admission = self.assigner = None
        self._writers = []
        self._settings = ()

    def start(self):
        """A cluster with gpu-manager, and nothing of ours."""
        plane = self.cluster.plane
        plane.start()
        self.admission = gpu_manager.GpuAdmission(plane)
        user, self.assigner = gpu_manager.administrator(plane, "gpu-manager")
        self._writers = [self.admission.user, user]
        self.cluster.scheduler = self.cluster.start_scheduler("kube-scheduler", {
            **plain_configuration("default-scheduler"), "extenders": [self.admission.extender()]})
        # Its agent is made with the node, and started by the label only.
        self.cluster.allocator = types.SimpleNamespace(public_key="", process=None)
        archive = images.write_archive(self.cluster.folder)
        for name in ("moves", "stays"):
            node = RealNode(self.cluster, f"{name}-migration", archive, runtime.NEW, "t4x4")
            self.nodes.append(node)
            agent, node.agent = node.agent, None
            node.start()
            node.agent = agent
            self.kubectl("label", "node", node.name, "=".join(gpu_manager.LABEL))
        self.daemons = gpu_manager.Daemons(self.nodes, units=UNITS)
        self.daemons.follow()
        self.api.post("/api/v1/namespaces", {"apiVersion": "v1", "kind": "Namespace",
                                             "metadata": {"name": TEAM}})
        self.cluster.ensure_service_account(TEAM)
        return self

    def stop(self):
        """Ends everything."""
        for node in self.nodes:
            node.stop()
        if self.admission is not None:
            self.admission.stop()
        self.cluster.stop()

    def kubectl(self, *arguments):
        """Runs kubectl as an administrator, who must be right."""
        status, output, problem = self.cluster.kubectl(*arguments)
        assert status == 0, f"kubectl {' '.join(arguments)}: {problem}"
        return output

    def install(self):
        """Step 2: beside gpu-manager, as beside.yaml of the page has it."""
        self._settings = ("scheduler.mode=bundled", "agent.inventoryWriters={admin}",
                          f"guards.recordWriters={{{','.join(self._writers)}}}")
        self.cluster.start_allocator(*self._settings, f"admission.excludedNamespaces={{{TEAM}}}")
        self.cluster.start_scheduler("aliquot", {
            **self.cluster.scheduler_configuration(), **plain_configuration("aliquot")})
        for node in self.nodes:
            node.agent.configure(signing={"publicKeys": str(self.cluster.allocator.public_key)})

    def exclude(self, *namespaces, writers=True):
        """The upgrade of steps 4, 6 and 7."""
        settings = self._settings if writers else self._settings[:-1]
        listed = [f"admission.excludedNamespaces={{{','.join(namespaces)}}}"] if namespaces else []
        self.cluster.apply_guards(*settings, *listed)

    def follow_page(self, step, **names):
        """Runs the page's lines of a step, the DaemonSets after each."""
        for line in commands(step, **names):
            self.kubectl(*line)
            self.daemons.follow()

    def deploy(self, replicas=2):
        """The team's workload: gpu-manager's manifest, which nobody changes in this test."""
        template = pods.share("train", core=40, memory=20, hostNetwork=True,
                              automountServiceAccountToken=False)
        template["metadata"] = {"labels": {"app": "train"}}
        template["spec"]["terminationGracePeriodSeconds"] = 1
        template["spec"]["containers"][0].update(image=images.PROBE, imagePullPolicy="Never")
        self.api.post(DEPLOYMENT.rsplit("/", 1)[0], {
            "apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "train"},
            "spec": {"replicas": replicas, "selector": {"matchLabels": {"app": "train"}},
                     "template": {"metadata": template["metadata"], "spec": template["spec"]}}})

    def running(self, where, count=2):
        """The team's pods, once exactly so many are there and run on the nodes of `where`."""
        names = {node.name for node in where}

        def settled():
            found = self.api.get(f"/api/v1/namespaces/{TEAM}/pods")["items"]
            told = [(each["metadata"]["name"], pods.node_of(each), each["status"].get("phase"),
                     each["metadata"].get("deletionTimestamp"),
                     (pods.condition(each, "PodScheduled") or {}).get("message"))
                    for each in found]
            assert len(found) == count and all(
                node in names and phase == "Running" and not deleted
                for _, node, phase, deleted, _ in told), told
            return found
        return until(f"{count} pods to run on {sorted(names)}", settled, timeout=60, every=0.2)

    def report(self, pod):
        """What a pod's container found, as Report of the harness reads it."""
        node = next(each for each in self.nodes if each.name == pods.node_of(pod))

        def written():
            texts = node.logs(pod, "main")
            return texts and texts[-1].endswith("\n") and texts[-1].splitlines()[0]
        return Report(until("the report", written))


@pytest.fixture(name="migration", scope="module")
def _migration():
    cgroups.sweep()
    folder = pathlib.Path(tempfile.mkdtemp(prefix="aliquot-migration-"))
    made = Migration(folder)
    try:
        yield made.start()
    finally:
        made.stop()
        shutil.rmtree(folder, ignore_errors=True)


def check_old(migration, found):
    """Pods of gpu-manager: planned by annotation, a card below /dev, no word of ours on them."""
    for pod in found:
        annotations = pods.annotations_of(pod)
        assert pod["spec"]["schedulerName"] == "default-scheduler"
        assert annotations[gpu_manager.NODE] == pods.node_of(pod)
        assert pods.ALLOCATION not in annotations
        assert pods.condition(pod, "aliquot.io/GpuAllocated") is None
        (card,) = migration.report(pod).cards()
        gpu_manager.report(migration.assigner, pod, card)


def check_ours(migration, found):
    """Pods of ours: a signed record, and exactly the card of the record in the container."""
    for pod in found:
        annotations = pods.annotations_of(pod)
        assert pod["spec"]["schedulerName"] == "aliquot"
        assert annotations[pods.ALLOCATION] and annotations[gpu_manager.NODE] == pods.node_of(pod)
        report = migration.report(pod)
        assert report.cards() == [int(annotations[f"{pods.INDEX_PREFIX}0"])]
        assert report.reachable_cards() == report.cards()


def wait_offers(node, core):
    """Waits until the node offers so many units of core."""
    until(f"{node.name} to offer {core}",
          lambda: node.allocatable(pods.CORE) == core, timeout=45, every=0.2)


def test_the_page_is_followed_step_by_step_and_back_again(migration):
    moves, stays = migration.nodes
    migration.deploy()
    before = migration.running(migration.nodes)
    check_old(migration, before)

    # Step 2: nothing changes for anybody, whatever has to be restarted meanwhile.
    migration.install()
    migration.daemons.follow()
    throughout("gpu-manager's pods run on", lambda: sorted(
        each["metadata"]["uid"] for each in migration.running(migration.nodes)) == sorted(
            each["metadata"]["uid"] for each in before), seconds=3)
    migration.kubectl("-n", TEAM, "delete", "pod", before[0]["metadata"]["name"])
    check_old(migration, migration.running(migration.nodes))

    # Step 3: the node's pods go to gpu-manager's other node, and its cards become ours.
    migration.follow_page(3, NODE=moves.name)
    moves.agent.wait_ready()
    wait_offers(moves, 400)
    until("the cards to be ours", lambda: set(cards_of(moves).values()) == {("ok", "")})
    check_old(migration, migration.running([stays]))

    # Step 4: the unchanged manifest comes back on our node.
    migration.exclude()
    migration.follow_page(4, TEAM=TEAM)
    check_ours(migration, migration.running([moves]))
    manifest = migration.api.get(DEPLOYMENT)["spec"]["template"]["spec"]
    assert manifest["schedulerName"] == "default-scheduler" and "tolerations" not in manifest

    # Step 6: first the namespace, then the node.
    migration.exclude(TEAM)
    migration.follow_page(4, TEAM=TEAM)
    check_old(migration, migration.running([stays]))
    migration.follow_page(6, NODE=moves.name)
    wait_offers(moves, 400)
    assert migration.daemons.plugins[moves.name].running()
    assert not moves.agent.process.running()
    check_old(migration, migration.running(migration.nodes))

    # Forward again, both nodes, and step 7.
    for node in (moves, stays):
        migration.exclude()
        migration.follow_page(3, NODE=node.name)
        node.agent.wait_ready()
        wait_offers(node, 400)
    check_ours(migration, migration.running(migration.nodes))
    migration.exclude(writers=False)
    migration.follow_page(7, NODE=stays.name)
    status, _, problem = migration.cluster.kubectl(
        "-n", TEAM, "annotate", "pod", "-l", "app=train", "--overwrite",
        f"{gpu_manager.NODE}=elsewhere")
    assert status != 0 and "written by Aliquot's allocator" in problem, problem
