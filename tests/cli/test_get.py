# SPDX-License-Identifier: Apache-2.0
"""aliquotctl get: who holds what, of a cluster file and of an API server."""
import json

import pytest
from aliquotctl import ROOT, run
from fake_cluster import Cluster, node, pod, serving

DEMO = ROOT / "config" / "demo-cluster.yaml"


@pytest.fixture(name="cluster")
def _cluster():
    cluster = Cluster()
    cluster.nodes = [node("b"), node("a"), node("plain", cards=0, core="")]
    cluster.pods = [pod("two", 30, 4096, "a", [0, 1]), pod("one", 20, 1024, "a", [0]), pod("waits", 40, 2048)]
    return cluster


@pytest.fixture(name="get")
def _get(cluster, tmp_path):
    def ask(*words):
        with serving(cluster, tmp_path) as kubeconfig:
            return run("get", *words, "--kubeconfig", kubeconfig)
    return ask


def test_nodes_are_sorted_and_those_without_cards_left_out(get):
    # a: 200 - 2 x 30 - 20 = 120 % and 2 x 16384 - 2 x 4096 - 1024 = 23552 MiB are free
    assert get("nodes").stdout == """\
NAME   STATE   CARDS   USABLE   IDLE   CORE FREE   MIB FREE      SHARES
a      ready   2       2        0      120/200     23552/32768   3
b      ready   2       2        2      200/200     32768/32768   0
"""
    assert "plain   no_inventory" in get("nodes", "--all").stdout


def test_cards_say_how_much_of_them_is_held_and_wide_by_whom(get):
    lines = get("cards", "a", "-o", "wide").stdout.splitlines()
    assert len(lines) == 3
    # card 0: 30 + 20 % and 4096 + 1024 MiB
    assert lines[1].split() == ["a", "0", "GPU-00000000-aaaa", "V100", "50/100", "5120/16384", "2", "ok", "0", "0000:00:00.0",
                                "team/one,team/two"]


def test_a_cards_uuid_is_whole_without_wide_too(get):
    # Simulated cards, and those of one delivery, begin alike; and the UUID is copied into aliquot.io/gpu-uuid.
    assert [line.split()[2] for line in get("cards", "a").stdout.splitlines()[1:]] == ["GPU-00000000-aaaa", "GPU-00000001-aaaa"]


def test_pods_are_those_of_the_contexts_namespace_with_their_cards(get, cluster):
    lines = [line.split()[:7] for line in get("pods").stdout.splitlines()]
    assert lines == [["NAME", "NODE", "CARDS", "CORE", "MIB", "ISOLATION", "PHASE"],
                     ["one", "a", "0", "20", "1024", "auto", "Running"],
                     ["two", "a", "0,1", "60", "8192", "auto", "Running"],
                     ["waits", "<none>", "<none>", "40", "2048", "auto", "Pending"]]
    assert "/api/v1/namespaces/team/pods" in {path for _, path, _ in cluster.requests}
    assert get("pods", "-A").stdout.startswith("NAMESPACE   NAME")


def test_a_selector_is_the_servers_to_judge(get, cluster):
    get("pods", "-l", "app=web")
    assert [query["labelSelector"] for _, path, query in cluster.requests if path.endswith("/pods")] == [
        ["aliquot.io/gpu=true,app=web"]]


def test_json_and_yaml_say_the_same(get):
    done = json.loads(get("pods", "two", "-o", "json").stdout)
    item, = done["items"]
    assert item["cards"][1] == {"container": "main", "uuid": "GPU-00000001-aaaa", "index": 1, "core": 30, "mib": 4096}
    assert item["created"] == "2020-01-01T00:00:00Z" and item["known_by"] == "record"
    yaml = get("pods", "two", "-o", "yaml").stdout
    # kubectl's style: a list stands below its key.
    assert yaml.startswith("items:\n- namespace: team\n  name: two\n  node: a\n")
    assert '    uuid: GPU-00000001-aaaa\n    index: 1\n' in yaml


def test_without_the_right_to_list_nodes_pods_show_uuids(get, cluster):
    cluster.forbidden = {"nodes"}
    done = get("pods", "one")
    assert done.returncode == 0 and "GPU-00000000" in done.stdout
    assert done.stderr == "note: there is no right to list nodes, so cards are shown by their UUIDs\n"
    refused = get("nodes")
    assert refused.returncode == 1 and "the right to list nodes and pods" in refused.stderr


@pytest.mark.parametrize("words, part", [
    (("nodes", "x"), 'there is no node "x"'), (("cards", "x"), 'no card or node with cards "x"'), (("pods", "x"), 'no pod "x"'),
    (("nodes", "-l", "a=b"), "-l selects pods"), (("pods", "-n", "A"), "give the name of a namespace"), (("boxes",), "WHAT")])
def test_wrong_words_are_one_sentence(words, part):
    done = run("get", *words, "--cluster", DEMO)
    assert done.returncode == 1 and done.stderr.count("\n") == 1 and part in done.stderr, done.stderr


def test_a_cluster_file_serves_as_well():
    done = run("get", "node", "dgx-0", "--cluster", DEMO)
    assert done.returncode == 0 and done.stdout.splitlines()[1].split()[:3] == ["dgx-0", "ready", "8"]
