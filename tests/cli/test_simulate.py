# SPDX-License-Identifier: Apache-2.0
"""aliquotctl simulate on small traces."""
import xml.etree.ElementTree

import pytest
from aliquotctl import DATA, answer, run

NODES = DATA / "openb" / "nodes_cut.csv"
PODS = DATA / "openb" / "pods_cut.csv"
SHORT = DATA / "openb" / "pods_multigpu_cut.csv"
KEYS = {"95", "100", "110", "130"}


def _openb(*words, pods=PODS):
    return answer("simulate", "--nodes", NODES, "--pods", pods, "--output", "json", *words)


@pytest.mark.parametrize("policy", ["composite", "first-fit", "binpack", "spread", "topology"])
@pytest.mark.parametrize("pods", [PODS, SHORT])
def test_a_replay_has_every_key_and_fills_the_cluster(policy, pods):
    run_of = _openb("--policy", policy, "--seed", 1000, pods=pods)
    assert set(run_of) == {"policy", "seed", "allocated_percent", "arrived_pods", "failed_pods",
                           "fragmentation_percent", "decision_us"}
    assert set(run_of["allocated_percent"]) == set(run_of["fragmentation_percent"]) == KEYS
    assert 70 < run_of["allocated_percent"]["130"] <= 100
    assert 0 < run_of["failed_pods"] < run_of["arrived_pods"]
    assert 0 < run_of["decision_us"]["p50"] <= run_of["decision_us"]["p99"]


def test_mean_and_deviation_are_those_of_the_runs():
    several = _openb("--seeds", "1000-1003")
    values = [each["allocated_percent"]["130"] for each in several["runs"]]
    mean = sum(values) / 4
    deviation = (sum((value - mean) ** 2 for value in values) / 4) ** 0.5
    assert several["mean"]["allocated_percent"]["130"] == pytest.approx(mean, abs=0.001)
    assert several["deviation"]["allocated_percent"]["130"] == pytest.approx(deviation, abs=0.001)


def test_what_no_event_falls_on_is_null():
    run_of = _openb("--arrivals", "0.97")
    assert run_of["allocated_percent"]["130"] is None
    assert run_of["allocated_percent"]["95"] is not None


def test_links_are_measured_where_they_are_given():
    linked = _openb("--matrix", f"8={DATA / 'mapa' / 'dgx-v.csv'}", "--policy", "topology", pods=SHORT)
    assert linked["multi_card"]["pods"] > 0
    assert linked["multi_card"]["ring_of_best"] == pytest.approx(1), "this policy takes the best set"
    lowest = _openb("--matrix", f"8={DATA / 'mapa' / 'dgx-v.csv'}", "--policy", "first-fit", pods=SHORT)
    assert lowest["multi_card"]["ring_of_best"] <= 1


def test_the_table_and_the_picture(tmp_path):
    picture = tmp_path / "curve.svg"
    done = run("simulate", "--nodes", NODES, "--pods", PODS, "--output", "table", "--plot", picture)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("policy composite")
    assert done.stderr == "", "no progress bar where nobody looks"
    xml.etree.ElementTree.parse(picture)


def test_churn_names_the_peers():
    run_of = _openb("--churn", "0.8", "--seed", 1000)
    assert run_of["policy"] == "composite" and run_of["load"] == 0.8
    assert "first-fit" in run_of["peers"]
    assert sum(each["arrived"] for each in run_of["classes"].values()) == run_of["arrived_pods"]


def test_mapas_policies_and_ours_run_in_one_driver():
    words = ("simulate", "--format", "mapa", "--topology", DATA / "mapa" / "dgx-v.csv", "--pods",
             DATA / "mapa" / "jobs.csv", "--output", "json", "--policy")
    sensitive = {policy: answer(*words, policy)["effective_bandwidth"]["sensitive"]
                 for policy in ("baseline", "topoAware", "greedy", "preserve", "composite")}
    assert len({each["jobs"] for each in sensitive.values()}) == 1
    assert sensitive["baseline"]["mean"] < sensitive["preserve"]["mean"]
    assert sensitive["baseline"]["mean"] < sensitive["composite"]["mean"]


@pytest.mark.parametrize("words", [
    ("--churn", "0.9", "--arrivals", "1.1"),
    ("--format", "mapa", "--topology", "T.csv", "--arrivals", "1.1"),
    ("--format", "mapa", "--topology", "T.csv", "--unseen-cpu-pods"),
])
def test_a_flag_that_has_no_part_in_the_run_is_refused(words):
    nodes = () if "mapa" in words else ("--nodes", NODES)
    done = run("simulate", *nodes, "--pods", PODS, *words)
    assert done.returncode != 0 and done.stdout == ""
    assert "leave them out" in done.stderr and done.stderr.count("\n") == 1


@pytest.mark.parametrize("nodes, pods, part", [
    ("sn,cpu_milli,memory_mib,gpu,model\n", None, "no line follows the header"),
    ("", None, "the file is empty"),
    ("sn,cpu_milli\na,1\n", None, ":1: column \"memory_mib\" is missing"),
    ("sn,cpu_milli,memory_mib,gpu,model\na,1,-1,1,T4\n", None, ":2: memory_mib is \"-1\""),
    (None, "name,cpu_milli,memory_mib,num_gpu,gpu_milli\na,1,1,1,x\n", ":2: gpu_milli is \"x\""),
    (None, "name,cpu_milli,memory_mib,num_gpu,gpu_milli\na,1,1,0,0\n", "pods.csv: no pod asks for a GPU"),
    ("sn,cpu_milli,memory_mib,gpu,model\na,1,1,0,\n", None, "nodes.csv: no node has a GPU"),
])
def test_a_bad_trace_is_one_sentence_with_its_file(tmp_path, nodes, pods, part):
    files = {"--nodes": NODES, "--pods": PODS}
    for flag, text in (("--nodes", nodes), ("--pods", pods)):
        if text is not None:
            files[flag] = tmp_path / (flag.strip("-") + ".csv")
            files[flag].write_text(text)
    done = run("simulate", *(word for pair in files.items() for word in pair))
    assert done.returncode == 1 and done.stdout == ""
    assert done.stderr.count("\n") == 1
    assert part in done.stderr and str(tmp_path) in done.stderr


def test_bytes_that_are_no_text_are_refused(tmp_path):
    nodes = tmp_path / "nodes.csv"
    nodes.write_bytes(b"sn,cpu_milli,memory_mib,gpu,model\n\xff\xfe,1,1,1,T4\n")
    done = run("simulate", "--nodes", nodes, "--pods", PODS)
    assert done.returncode == 1 and ":2: the text is not UTF-8" in done.stderr
