# SPDX-License-Identifier: Apache-2.0
"""Names of the agent's metrics are an interface: a running agent, the golden list and the page agree."""
import json
import re

import pytest

from agent_process import ROOT, AgentProcess, families

PAGE = ROOT / "docs/reference/agent-metrics.md"
# They come from the driver's list of processes, and the simulated one has none in a container here.
WITHOUT_SERIES = {"aliquot_share_memory_used_bytes", "aliquot_share_utilization_percent",
                  "aliquot_agent_unenforced"}  # nor is any share got past


@pytest.fixture(name="agent", scope="module")
def _agent(tmp_path_factory):
    process = AgentProcess(tmp_path_factory.mktemp("agent"))
    try:
        yield process.start()
    finally:
        process.stop()


def golden():
    """`name type labels` of each line: name to (type, label names)."""
    listed = {}
    for line in (ROOT / "tests/golden/agent-metrics.txt").read_text().splitlines():
        name, kind, labels = line.split(" ")
        assert name not in listed, name
        listed[name] = (kind, frozenset() if labels == "-" else frozenset(labels.split(",")))
    return listed


def documented(prefix):
    """The rows `| name | type | labels | .. |` of the page."""
    rows = re.findall(rf"^\| `({prefix}\w+)` \| (\w+) \| (.*?) \| ", PAGE.read_text(), flags=re.MULTILINE)
    return {name: (kind, frozenset(re.findall(r"`(\w+)`", labels))) for name, kind, labels in rows}


def test_a_running_agent_exports_what_the_golden_list_says(agent):
    exported = families(agent.get("/metrics"))
    expected = golden()
    assert {name: kind for name, (kind, _) in exported.items()} == {name: kind for name, (kind, _) in expected.items()}
    assert {name for name, (_, labels) in exported.items() if labels is None} == WITHOUT_SERIES
    for name, (_, labels) in exported.items():
        assert labels is None or labels == expected[name][1], name


def test_the_reference_page_documents_what_the_golden_list_says():
    assert documented("aliquot_") == golden()


def test_the_pages_of_gpu_manager_have_its_names(agent):
    assert families(agent.get("/metric")) == documented("container_")


def test_one_container_is_one_share_with_its_figures(agent):
    page = agent.get("/metrics")
    share = dict(re.findall(r'(\w+)="(.*?)"', re.search(r"^aliquot_share_info\{(.*)\} 1$", page, flags=re.MULTILINE)[1]))
    assert (share["namespace"], share["pod"], share["container"]) == ("team", "train", "main")
    assert share["enforcement"] == "library"
    assert re.search(r'^aliquot_share_core_percent\{.*pod="train".*\} 20$', page, flags=re.MULTILINE)
    assert re.search(r'^aliquot_share_core_ceiling_percent\{.*\} 60$', page, flags=re.MULTILINE)


def test_the_other_pages_are_there(agent):
    assert agent.get("/healthz").strip() == "ok"
    assert "has not been read from the API server yet" in agent.get("/readyz")
    (grant,) = json.loads(agent.get("/grants"))["grants"]
    assert (grant["pod"], grant["cards"][0]["core"]) == ("train", 20)
    usage = json.loads(agent.get("/usage"))["usage"]
    assert usage["u-1"]["stat"]["main"]["gpu0"]["requestCore"] == 20
    assert agent.get("/graph").startswith("ROOT:4\n|---GPU0 ")


def label_values(page, series, label):
    """The values of a label that a metric has series for."""
    return set(re.findall(rf'^{series}\{{(?:.*,)?{label}="(.*?)"', page, flags=re.MULTILINE))


def test_every_refusal_and_degraded_state_is_documented(agent):
    page = agent.get("/metrics")
    refusals = (ROOT / "docs/reference/grant.md").read_text().split("## Refusals")[1]
    assert label_values(page, "aliquot_agent_refusals_total", "reason") == set(
        re.findall(r"^\| `(\w+)` \| ", refusals, flags=re.MULTILINE))
    (states,) = re.findall(r"^\| `state` of `degraded` \| (.*) \|$", PAGE.read_text(), flags=re.MULTILINE)
    assert label_values(page, "aliquot_agent_degraded", "state") == set(re.findall(r"`(\w+)`", states))


def test_the_sentences_of_refusals_are_the_programs():
    code = "".join(each.read_text() for each in sorted((ROOT / "src/agent").rglob("*.cc")))
    code = re.sub(r'"\s*\n\s*"', "", code)  # a literal that goes on in the next line
    refusals = (ROOT / "docs/reference/grant.md").read_text().split("## Refusals")[1]
    quoted = [sentence for cell in re.findall(r"^\| (?:`\w+` )?\| (\".*?) \| ", refusals, flags=re.MULTILINE)
              for sentence in re.findall(r'"(.+?)"', cell)]
    assert len(quoted) > 20
    for sentence in quoted:
        assert sentence in code, sentence


def test_everything_below_the_state_directory_is_in_the_table_of_files(agent):
    files = (ROOT / "docs/reference/grant.md").read_text()
    found = {each.name for each in agent.state.iterdir()}
    assert {"grants", "usage", "boot-id"} <= found
    for name in found:
        assert f"`<state>/{name}" in files, name
