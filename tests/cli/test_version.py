# SPDX-License-Identifier: Apache-2.0
"""aliquotctl version: of the program, and of what a cluster runs as far as it may be seen."""
import json

import pytest
from aliquotctl import answer, run
from fake_cluster import Cluster, serving

OWN = answer("version", "--client", "-o", "json")["client"]
FIRST_LINE = f"aliquotctl {OWN['version']} (commit {OWN['commit']})"


def ours(part, version, number=0):
    """A pod of the installation."""
    return {"metadata": {"name": f"{part}-{number}", "namespace": "aliquot-system",
                         "labels": {"app.kubernetes.io/name": f"aliquot-{part}"}},
            "spec": {"containers": [{"name": part, "image": f"aliquot-{part}:{version}"}]},
            "status": {"phase": "Running"}}


@pytest.fixture(name="cluster")
def _cluster():
    cluster = Cluster()
    cluster.pods = [ours("allocator", OWN["version"]), *(ours("agent", OWN["version"], i) for i in range(3))]
    return cluster


@pytest.fixture(name="version")
def _version(cluster, tmp_path):
    def ask(*words):
        with serving(cluster, tmp_path) as kubeconfig:
            return run("version", *words, "--kubeconfig", kubeconfig)
    return ask


def test_what_runs_is_shown_by_part_and_version_from_one_list_of_pods(version, cluster):
    done = version()
    assert (done.returncode, done.stderr) == (0, "")
    lines = [line.split() for line in done.stdout.splitlines()]
    assert done.stdout.splitlines()[0] == FIRST_LINE
    assert lines[1:] == [["PART", "VERSION", "IMAGE", "PODS"],
                         ["allocator", OWN["version"], f"aliquot-allocator:{OWN['version']}", "1"],
                         ["agent", OWN["version"], f"aliquot-agent:{OWN['version']}", "3"]]
    assert [(command, path, query["labelSelector"]) for command, path, query in cluster.requests] == [
        ("GET", "/api/v1/namespaces/aliquot-system/pods", ["app.kubernetes.io/name in (aliquot-agent,aliquot-allocator)"])]


def test_a_skew_is_one_sentence_at_the_end(version, cluster):
    cluster.pods.append(ours("agent", "0.0.1", 9))
    last = version().stdout.splitlines()[-1]
    assert last.startswith("not all are of one version: ") and f"one agent is 0.0.1, 3 agents are {OWN['version']}" in last
    made = json.loads(version("-o", "json").stdout)
    assert made["skew"] == last and made["client"] == OWN
    assert made["agents"][0] == {"version": "0.0.1", "image": "aliquot-agent:0.0.1", "pods": 1}
    assert version("-o", "yaml").stdout.startswith("client:\n  version: ")


def test_no_text_of_the_cluster_is_told_to_the_terminal(version, cluster):
    cluster.pods.append(ours("agent", "0.0.1\x1b[2J", 9))
    assert "\x1b" not in version().stdout and "one agent is 0.0.1?[2J" in version().stdout


def test_what_cannot_be_read_is_a_note_and_the_programs_own_version_is_still_said(version, cluster, tmp_path):
    cases = {f"kubeconfig {tmp_path / 'none'} cannot be read": run("version", "--kubeconfig", tmp_path / "none"),
             "no pod of Aliquot is in namespace other; name its namespace with -n": version("-n", "other")}
    cluster.forbidden = {"pods"}
    cases["there is no right to list pods in namespace aliquot-system"] = version()
    for sentence, done in cases.items():
        assert done.returncode == 0 and done.stdout == FIRST_LINE + "\n"
        assert done.stderr.startswith(f"note: the cluster's versions are not shown: {sentence}"), done.stderr
        assert done.stderr.count("\n") == 1
    made = json.loads(version("-o", "json").stdout)
    assert (made["allocator"], made["agents"], made["skew"]) == (None, None, "")


def test_client_asks_no_cluster(version, cluster):
    done = version("--client")
    assert (done.returncode, done.stdout, done.stderr) == (0, FIRST_LINE + "\n", "")
    assert not cluster.requests
    assert run("--version").stdout == f"{OWN['version']} {OWN['commit']}\n"


def test_a_namespace_that_is_none_is_one_sentence(version):
    done = version("-n", "A")
    assert done.returncode == 1 and "give the name of a namespace" in done.stderr
