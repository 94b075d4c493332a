# SPDX-License-Identifier: Apache-2.0
"""aliquotctl top: what is used now beside what is held, by agents that a server plays."""
import json
import re
import threading
import time
import urllib.parse

import pytest
from aliquotctl import ROOT, run
from fake_cluster import Cluster, node, pod, serving

GIB = 1 << 30


def shares(*rows, cards=((0, 61, 3), (1, 0, 0))):
    """An agent's page: cards (index, percent, GiB) and shares (pod, card's index, percent, GiB)."""
    lines = ["# HELP aliquot_card_utilization_percent Time with a kernel running."]
    for index, core, gib in cards:
        card = f'{{Hostname="x",UUID="GPU-0000000{index}-aaaa",gpu="{index}"}}'
        lines += [f"aliquot_card_utilization_percent{card} {core}", f"aliquot_card_memory_used_bytes{card} {gib * GIB}",
                  f"aliquot_card_stranger_processes{card} 0"]
    for name, index, core, gib in rows:
        share = (f'{{Hostname="x",UUID="GPU-0000000{index}-aaaa",container="main",gpu="{index}",namespace="team",'
                 f'pod="{name}"}}')
        lines += [f"aliquot_share_processes{share} 1", f"aliquot_share_utilization_percent{share} {core}",
                  f"aliquot_share_memory_used_bytes{share} {gib * GIB}", f"aliquot_share_core_now_percent{share} 45"]
    return "\n".join(lines) + "\n"


class Agents(Cluster):
    """A cluster whose nodes have agents: `pages` holds what each says, a text or a status and an answer."""

    def __init__(self):
        super().__init__()
        self.pages, self.asked, self.at_once, self.most = {}, [], 0, 0
        self.token = (201, {"kind": "TokenRequest", "status": {"token": "aaa.bbb.ccc"}})
        self.wait_s, self.lock = 0, threading.Lock()

    def agent_pods(self, query):
        """The list, a page of two at a time."""
        selector = query.get("fieldSelector", [""])[0]
        names = [name for name in sorted(self.pages) if selector in ("", f"spec.nodeName={name}")]
        first = int(query.get("continue", ["0"])[0])
        last = first + 2 if "limit" in query else len(names)
        return 200, {"kind": "PodList", "metadata": {"continue": str(last)} if last < len(names) else {}, "items": [
            {"metadata": {"name": f"agent-{name}"}, "status": {"phase": "Running"},
             "spec": {"nodeName": name, "containers": [{"name": "agent", "ports": [
                 {"name": "authenticated", "containerPort": 9443}]}]}} for name in names[first:last]]}

    def proxied(self, path):
        """What the agent says."""
        name = re.search(r"https:agent-([^:]+):9443/proxy/shares$", urllib.parse.unquote(path))[1]
        with self.lock:
            self.asked.append(name)
            self.at_once += 1
            self.most = max(self.most, self.at_once)
        time.sleep(self.wait_s)
        with self.lock:
            self.at_once -= 1
        page = self.pages[name]
        return (200, page) if isinstance(page, str) else page

    def answer(self, path, query):
        if "/proxy/" in path:
            return self.proxied(path)
        if path.endswith("/token"):
            return self.token
        if path.endswith("/namespaces/aliquot-system/pods"):
            return (403, {"kind": "Status", "message": "no"}) if "agents" in self.forbidden else self.agent_pods(query)
        return super().answer(path, query)


@pytest.fixture(name="cluster")
def _cluster():
    cluster = Agents()
    cluster.nodes = [node("b"), node("a"), node("c"), node("plain", cards=0, core="")]
    cluster.pods = [pod("two", 30, 4096, "a", [0, 1]), pod("one", 20, 1024, "a", [0]), pod("far", 50, 8192, "b", [0]),
                    pod("waits", 40, 2048)]
    cluster.pages = {"a": shares(("one", 0, 9, 1), ("two", 0, 40, 2), ("two", 1, 0, 0)), "b": shares(("far", 0, 61, 3)),
                     "c": shares()}
    return cluster


@pytest.fixture(name="top")
def _top(cluster, tmp_path):
    def ask(*words):
        with serving(cluster, tmp_path) as kubeconfig:
            return run("top", *words, "--kubeconfig", kubeconfig)
    return ask


def rows(done):
    """The table's lines, without the header, as words."""
    return [re.split(r" {3,}", line) for line in done.stdout.splitlines()[1:]]


def test_nodes_say_what_is_held_and_what_is_used(top, cluster):
    # a holds 2 x 30 + 20 % and 2 x 4096 + 1024 MiB; each node's cards are 61 % and 3 GiB busy.
    done = top("nodes")
    assert done.stdout == """\
NAME   CARDS   CORE HELD   CORE USED   MIB HELD     MIB USED   SHARES   NOTE
a      2       80/200      61          9216/32768   3072       3        <none>
b      2       50/200      61          8192/32768   3072       1        <none>
c      2       0/200       61          0/32768      3072       0        <none>
"""
    assert (done.returncode, done.stderr) == (0, "")
    assert sorted(cluster.asked) == ["a", "b", "c"]


def test_cards_and_pods_are_shown_by_what_their_agents_say(top):
    assert rows(top("cards", "a")) == [["a", "0", "V100", "50/100", "61", "5120/16384", "3072", "2", "<none>"],
                                       ["a", "1", "V100", "30/100", "0", "4096/16384", "0", "1", "<none>"]]
    assert rows(top("pods")) == [["far", "b", "50", "61", "8192", "3072", "<none>"], ["one", "a", "20", "9", "1024", "1024", "<none>"],
                                 ["two", "a", "60", "40", "8192", "2048", "<none>"]]
    wide = rows(top("pods", "two", "-o", "wide", "-A"))
    assert wide[0] == ["team", "two", "main", "a", "0", "30", "40", "45", "4096", "2048", "driver", "1", "<none>"]
    assert len(wide) == 2


def test_sorted_by_what_is_used(top):
    assert [row[0] for row in rows(top("pods", "--sort-by", "core"))] == ["far", "two", "one"]
    assert [row[0] for row in rows(top("pods", "--sort-by", "memory"))] == ["far", "two", "one"]


def test_only_the_nodes_of_the_answer_are_asked(top, cluster):
    top("pods", "far")
    assert cluster.asked == ["b"]
    assert [query["fieldSelector"] for _, path, query in cluster.requests if path.endswith("aliquot-system/pods")] == [
        ["spec.nodeName=b"]]
    cluster.asked.clear()
    top("pods")
    assert sorted(cluster.asked) == ["a", "b"]


def test_an_agent_that_does_not_answer_is_a_row_with_the_reason(top, cluster):
    cluster.pages["b"] = (503, {"kind": "Status", "message": "dial tcp: connection refused"})
    del cluster.pages["c"]
    cluster.pages["a"] = (200, "<html>")
    cluster.nodes.append(node("d"))
    cluster.pages["d"] = shares()
    done = top("nodes")
    assert done.returncode == 0 and done.stderr == ""
    notes = {row[0]: (row[3], row[5], row[7]) for row in rows(done)}
    assert notes["d"] == ("61", "3072", "<none>")
    for name, part in (("a", "the metrics of agent agent-a: line 1 is no metric"), ("b", "connection refused"),
                       ("c", "there is no aliquot-agent on node c in namespace aliquot-system")):
        assert notes[name][:2] == ("<unknown>", "<unknown>") and part in notes[name][2], notes[name]
    items = json.loads(top("nodes", "-o", "json").stdout)["items"]
    assert items[1]["core_used"] is None and items[1]["core_held"] == 50 and "refused" in items[1]["note"]
    assert "core_used: null" in top("nodes", "b", "-o", "yaml").stdout


def test_when_no_agent_answers_the_rows_are_shown_and_the_end_is_1(top, cluster):
    cluster.pages = {"a": (503, {"kind": "Status", "message": "no route"}), "b": (404, "404 page not found\n"), "c": (500, "")}
    done = top("nodes")
    assert done.returncode == 1 and len(rows(done)) == 3
    assert done.stderr.startswith("of 3 agents none answers: agent agent-a on node a can't be reached at port 9443 (no route)")
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("change, parts", [
    ({"forbidden": {"agents"}}, ["right to list pods in namespace aliquot-system", "agent.verifiers"]),
    ({"token": (403, {"kind": "Status", "message": "no"})}, ["right to create serviceaccounts/token", "agent.verifiers"]),
    ({"pages": {name: (403, {"kind": "Status", "message": "no"}) for name in "abc"}},
     ["right to get pods/proxy in namespace aliquot-system", "agent.verifiers"]),
    ({"forbidden": {"nodes"}}, ["right to list nodes and pods"])])
def test_a_right_that_is_missing_is_one_sentence(top, cluster, change, parts):
    for name, value in change.items():
        setattr(cluster, name, value)
    done = top("nodes")
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1), done.stderr
    for part in parts:
        assert part in done.stderr


def test_an_agent_that_answers_as_the_api_server_would_hides_no_other(top, cluster):
    cluster.pages["a"] = (403, {"kind": "Status", "message": "no"})
    cluster.pages["b"] = (401, {"kind": "Status", "message": "no"})
    done = top("nodes")
    assert (done.returncode, done.stderr) == (0, "")
    assert [row[3] for row in rows(done)] == ["<unknown>", "<unknown>", "61"]
    assert "HTTP 403" in rows(done)[0][7] and "HTTP 401" in rows(done)[1][7]


def test_a_right_that_is_missing_is_not_asked_for_at_every_node(top, cluster):
    cluster.nodes = [node(f"n{i}") for i in range(60)]
    cluster.pages = {f"n{i}": (403, {"kind": "Status", "message": "no"}) for i in range(60)}
    done = top("nodes")
    assert done.returncode == 1 and "right to get pods/proxy" in done.stderr
    assert len(cluster.asked) < 60


def test_a_page_that_no_agent_has_is_not_read(top, cluster):
    cluster.pages["a"] = "#" * (5 << 20)
    done = top("nodes")
    assert done.returncode == 0 and "the reply is larger than allowed" in rows(done)[0][7]


def test_many_agents_are_asked_at_once_but_not_all(top, cluster):
    cluster.nodes = [node(f"n{i}") for i in range(60)]
    cluster.pages = {f"n{i}": shares() for i in range(60)}
    cluster.wait_s = 0.05
    done = top("nodes")
    assert done.returncode == 0 and len(rows(done)) == 60 and all(row[3] == "61" for row in rows(done))
    assert 4 <= cluster.most <= 16


def test_pods_that_hold_nothing_are_said_to(top, cluster):
    done = top("pods", "waits")
    assert (done.returncode, done.stderr) == (0, "pod waits holds no card now; why waits says why\n")
    cluster.pods = []
    assert top("pods").stderr == "no pod that is asked about holds a card; get pods shows all\n"
    assert json.loads(top("pods", "-o", "json").stdout) == {"items": []}


@pytest.mark.parametrize("words, part", [
    (("nodes", "x"), 'no card or node with cards "x"'), (("pods", "x"), 'no pod "x"'), (("boxes",), "WHAT"), (("nodes", "-l", "a=b"), "-l selects pods"),
    (("pods", "-n", "A"), "give the name of a namespace"), (("nodes", "--agent-namespace", "A"), "agents' namespace"),
    (("pods", "--sort-by", "age"), "--sort-by")])
def test_wrong_words_are_one_sentence(top, words, part):
    done = top(*words)
    assert done.returncode == 1 and done.stderr.count("\n") == 1 and part in done.stderr, done.stderr


def test_what_top_reads_is_what_agents_export():
    read = set(re.findall(r'"(aliquot_(?:card|share)_\w+[a-z])"', (ROOT / "src/cli/top/usage.cc").read_text()))
    exported = set(re.findall(r"^(aliquot_\w+)", (ROOT / "tests/golden/agent-metrics.txt").read_text(), flags=re.MULTILINE))
    assert len(read) > 8 and read <= exported
