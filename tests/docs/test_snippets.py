# SPDX-License-Identifier: Apache-2.0
"""What the guides tell to type can be typed: programs are run, values rendered, names looked up.

What needs a cluster is run against none: a program then says that it finds no server, but only after
it has understood the command. The installation itself is run by tests/e2e/install, the migration by
tests/e2e/test_migration.py.
"""
import json
import os
import pathlib
import re
import subprocess

import pytest
import yaml

from agent_process import ROOT
from snippets import GUIDES, blocks, commands, manifests, name, values_blocks

BUILD = ROOT / "tests" / "e2e" / "binaries" / "build.sh"
ALIQUOTCTL = ROOT / "out" / "bin" / "aliquotctl"
CHART = "charts/aliquot"


def built(group, program):
    """A program of the end-to-end tests, built if it is not there yet."""
    done = subprocess.run([str(BUILD), group], check=True, text=True, stdout=subprocess.PIPE)
    return pathlib.Path(done.stdout.split()[1]) / program


def run(program, *arguments, environment=None, **options):
    """(exit status, all output) of a program in the root of the sources."""
    done = subprocess.run([str(program), *arguments], cwd=options.pop("cwd", ROOT), check=False, timeout=60, text=True,
                          env={**os.environ, **(environment or {})}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return done.returncode, done.stdout


def every(program):
    """The calls of a program in all guides, as parameters of a test."""
    return [pytest.param(each, id=f"{each.where}-{number}") for number, each in enumerate(
        each for document in GUIDES for each in commands(document, program))]


@pytest.fixture(name="helm", scope="session")
def _helm():
    return os.environ.get("HELM") or built("helm", "helm")


@pytest.fixture(name="kubectl", scope="session")
def _kubectl():
    return built("kubernetes-1.34", "kubectl")


@pytest.fixture(name="nowhere", scope="session")
def _nowhere(tmp_path_factory):
    """A kubeconfig of a server that nobody can reach, in an environment."""
    path = tmp_path_factory.mktemp("nowhere") / "kubeconfig"
    path.write_text(json.dumps({
        "apiVersion": "v1", "kind": "Config", "current-context": "none",
        "clusters": [{"name": "none", "cluster": {"server": "http://127.0.0.1:1"}}],
        "users": [{"name": "none", "user": {}}],
        "contexts": [{"name": "none", "context": {"cluster": "none", "user": "none"}}]}))
    return {"KUBECONFIG": str(path)}


def test_the_guides_have_commands_of_each_program():
    counts = {program: len(every(program)) for program in ("aliquotctl", "kubectl", "helm")}
    assert counts["aliquotctl"] > 20 and counts["kubectl"] > 25 and counts["helm"] > 10, counts


@pytest.mark.parametrize("command", every("aliquotctl"))
def test_aliquotctl_has_the_verbs_and_flags(command):
    verb, arguments = command.words[0], command.words[1:]
    status, text = run(ALIQUOTCTL, verb, "--help")
    assert status == 0 and re.search(rf"^Usage: (?:aliquotctl )?{verb}\b", text, flags=re.MULTILINE), f"{command}: {text}"
    for flag in (word.split("=")[0] for word in arguments if re.match(r"-[a-zA-Z-]", word)):
        assert re.search(rf"(?:^|[\s,]){re.escape(flag)}(?=[\s,=\[]|$)", text, flags=re.MULTILINE), \
            f"{command}: {verb} has no flag {flag}:\n{text}"


@pytest.mark.parametrize("command", every("aliquotctl"))
def test_aliquotctl_understands_what_it_is_told(command, nowhere, tmp_path):
    for each in ("nodes.csv", "pods.csv", "pod.yaml", "manifest.yaml"):
        (tmp_path / each).write_text("")
    words = [word.replace("~/.kube/config", nowhere["KUBECONFIG"]) for word in command.words]
    _, text = run(ALIQUOTCTL, *words, environment=nowhere, cwd=tmp_path)
    # CLI11's words for a command that it can't read.
    assert not re.search(r"--help for more information|not expected|is required|Unrecognized|excludes", text), \
        f"{command}: {text}"


# kubectl's words for a command that it can't read; anything else it says is about the server.
_MISUSED = re.compile(r"unknown (flag|command|shorthand)|flag needs an argument|invalid argument|must specify|"
                      r"required|not allowed|error parsing|resource\(s\) were provided, but no name|is not a valid|"
                      r"exactly one|See 'kubectl", flags=re.IGNORECASE)


@pytest.mark.parametrize("command", every("kubectl"))
def test_kubectl_understands_what_it_is_told(command, kubectl, nowhere, tmp_path):
    for document in GUIDES:
        for block in blocks(document, "yaml"):
            found = re.match(r"# (\S+\.yaml)\n", block)
            if found:
                (tmp_path / found[1]).write_text(block)
    _, text = run(kubectl, *command.words, environment=nowhere, cwd=tmp_path)
    assert not _MISUSED.search(text), f"{command}: {text}"
    assert "127.0.0.1:1" in text or "connection refused" in text or not text, f"{command}: {text}"


@pytest.mark.parametrize("command", every("helm"))
def test_helm_renders_the_chart_with_the_flags_that_are_told(command, helm, tmp_path):
    verb, words = command.words[0], list(command.words[1:])
    status, text = run(helm, verb, "--help")
    assert status == 0 and f"helm {verb}" in text, f"{command}: {text}"
    for flag in (word.split("=")[0] for word in words if word.startswith("-")):
        assert re.search(rf"(?:^|[\s,]){re.escape(flag)}\b", text, flags=re.MULTILINE), f"{command}: no flag {flag}"
    if verb not in ("install", "upgrade", "template"):
        return
    for document in GUIDES:
        for block in values_blocks(document):
            found = re.match(r"# (\S+\.yaml)\n", block)
            if found:
                (tmp_path / found[1]).write_text(block)
    kept = []
    for at, word in enumerate(words):
        if word in ("--set", "-f", "--values") and at + 1 < len(words):
            value = words[at + 1]
            kept += [word, str(tmp_path / value) if (tmp_path / value).exists() else value]
    status, text = run(helm, "template", "aliquot", CHART, "-n", "aliquot-system", *kept)
    assert status == 0, f"{command}: {text}"


@pytest.mark.parametrize("document", GUIDES, ids=name)
def test_the_chart_takes_the_values_that_are_shown(document, helm, tmp_path):
    for block in values_blocks(document):
        (tmp_path / "values.yaml").write_text(block)
        status, text = run(helm, "template", "aliquot", CHART, "-n", "aliquot-system", "-f", str(tmp_path / "values.yaml"),
                           "--api-versions", "monitoring.coreos.com/v1")
        assert status == 0, f"{name(document)}:\n{block}\n{text}"


def test_some_guides_show_values():
    assert len([block for document in GUIDES for block in values_blocks(document)]) > 3


def paths(mapping, prefix=""):
    """Every key of nested mappings, dotted, inner nodes too."""
    for key, each in mapping.items():
        yield prefix + key
        if isinstance(each, dict):
            yield from paths(each, f"{prefix}{key}.")


def schema_paths(schema, prefix=""):
    """The same of a JSON schema's properties."""
    for key, each in schema.get("properties", {}).items():
        yield prefix + key
        yield from schema_paths(each, f"{prefix}{key}.")


@pytest.fixture(name="keys", scope="session")
def _keys():
    """Every dotted key that may be named: the chart's values, and both programs' configurations."""
    known = set(paths(yaml.safe_load((ROOT / CHART / "values.yaml").read_text())))
    known |= set(schema_paths(json.loads((ROOT / CHART / "values.schema.json").read_text())))
    for each in ("configuration", "agent-configuration"):
        rows = re.findall(r"^\| `([\w.]+)` \|", (ROOT / "docs" / "reference" / f"{each}.md").read_text(), flags=re.MULTILINE)
        known |= {".".join(row.split(".")[:depth]) for row in rows for depth in range(1, row.count(".") + 2)}
    return known


# Roots of dotted names that are not ours: Kubernetes' and the GPU Operator's objects.
_NOT_OURS = ("spec", "metadata", "status", "toolkit", "driver.upgradePolicy")


@pytest.mark.parametrize("document", GUIDES, ids=name)
def test_keys_that_are_named_exist(document, keys):
    roots = {key.split(".")[0] for key in keys}
    for named in re.findall(r"`([a-z][A-Za-z]*(?:\.[a-z][A-Za-z]*)+)(?:: [^`]*)?`", document.read_text()):
        if named.split(".")[0] in roots and not named.startswith(_NOT_OURS) and not re.search(r"\.(yaml|md|crt|key|json)$", named):
            assert named in keys, f"{name(document)} names {named}, which neither chart nor configuration has"


@pytest.fixture(name="metrics", scope="session")
def _metrics():
    found = set()
    for each in ("metrics", "agent-metrics"):
        found |= {line.split()[0] for line in (ROOT / "tests" / "golden" / f"{each}.txt").read_text().splitlines() if line}
    return found


@pytest.mark.parametrize("document", GUIDES, ids=name)
def test_metrics_that_are_named_are_exported(document, metrics):
    for named in re.findall(r"\baliquot_[a-z_]+", document.read_text()):
        family = re.sub(r"_(bucket|count|sum)$", "", named)
        assert family in metrics, f"{name(document)} names {named}, which no program exports"


def gpu_pods():
    """Pods that the guides show, alone or in templates of workloads."""
    for document in GUIDES:
        for each in manifests(document):
            template = each if each["kind"] == "Pod" else each.get("spec", {}).get("template") or {}
            if "vcuda" in json.dumps(template):
                yield pytest.param({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "shown"},
                                    "spec": template["spec"]}, id=f"{name(document)}-{each['metadata']['name']}")


@pytest.mark.parametrize("pod", gpu_pods())
def test_pods_that_are_shown_are_admitted_and_find_a_card(pod, tmp_path):
    (tmp_path / "pod.json").write_text(json.dumps(pod))
    status, text = run(ALIQUOTCTL, "simulate", "--pod", str(tmp_path / "pod.json"), "--cluster", "config/demo-cluster.yaml",
                       "--output", "json")
    assert status == 0 and json.loads(text)["best_node"], text


def test_every_finding_of_doctor_has_a_place_in_troubleshooting():
    code = "".join(each.read_text() for each in sorted((ROOT / "src" / "cli" / "doctor").glob("*.cc")))
    checks = set(re.findall(r'constexpr char k\w+\[\] = "([a-z][a-z-]+)";', code)) | set(
        re.findall(r'(?:Finding\{|finding = \{|finding\{)"([a-z-]+)"', code))
    page = (ROOT / "docs" / "operations" / "troubleshooting.md").read_text().split("## What doctor finds")[1]
    described = set(re.findall(r"^### (\S+)$", page.split("\n## ")[0], flags=re.MULTILINE))
    assert len(described) > 15 and described <= checks, described - checks
    assert checks - described <= _NO_CHECKS, checks - described - _NO_CHECKS


# Constants beside the names of checks in the same files.
_NO_CHECKS = {"aliquot-scheduler", "never-pulled"}


def test_every_alert_has_a_runbook():
    rules = yaml.safe_load((ROOT / CHART / "alerts" / "aliquot.yaml").read_text())
    alerts = {rule["alert"] for group in rules["groups"] for rule in group["rules"] if "alert" in rule}
    headings = set(re.findall(r"^### (\w+)$", (ROOT / "docs/operations/alerts.md").read_text(), flags=re.MULTILINE))
    assert alerts == headings
