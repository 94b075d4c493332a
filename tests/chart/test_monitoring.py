# SPDX-License-Identifier: Apache-2.0
"""Alerts, dashboard and scraping: parsed by Prometheus' own promtool, told in stories, and held against what the running
programs export. Metrics of other programs are named here.
"""
import json
import pathlib
import re
import subprocess
import sys

import pytest
import yaml

from rendering import CHART, ROOT, one

sys.path += [str(ROOT / "tools"), str(ROOT / "tests" / "docs")]
# pylint: disable=wrong-import-position  # found in these folders
from agent_process import AgentProcess  # noqa: E402
from demonstration.allocator import Allocator  # noqa: E402
from demonstration.certificates import Certificates  # noqa: E402

ALERTS = CHART / "alerts" / "aliquot.yaml"
DASHBOARD = CHART / "dashboards" / "aliquot.json"
CASES = ROOT / "tests" / "chart" / "alert_cases.yaml"
BUILD = ROOT / "tests" / "e2e" / "binaries" / "build.sh"
ALL_ON = ("monitoring.serviceMonitor.enabled=true", "monitoring.rules.enabled=true", "monitoring.dashboard.enabled=true")
OPERATOR = ("monitoring.coreos.com/v1",)
# Prometheus' own, DCGM exporter's, kube-state-metrics'.
OTHERS = {"up", "ALERTS", "DCGM_FI_DEV_GPU_UTIL", "kube_daemonset_status_desired_number_scheduled",
          "kube_daemonset_status_number_ready"}
# Added to every series when it is scraped: the chart's relabelling, and Prometheus.
SCRAPED = {"node", "job"}


@pytest.fixture(scope="session", name="promtool")
def _promtool():
    built = subprocess.run([str(BUILD), "debian-prometheus"], check=True, text=True, stdout=subprocess.PIPE).stdout
    program = pathlib.Path(built.split()[1]) / "promtool"

    def run(*arguments):
        done = subprocess.run([program, *arguments], check=False, text=True, timeout=60, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT)
        return done.returncode, done.stdout
    return run


def rules():
    """Every alert of the chart's file."""
    return [rule for group in yaml.safe_load(ALERTS.read_text())["groups"] for rule in group["rules"]]


def dashboard():
    """The dashboard."""
    return json.loads(DASHBOARD.read_text())


def dashboard_queries():
    """Every query of the dashboard, its variables replaced as Grafana does."""
    found = [target["expr"] for panel in dashboard()["panels"] for target in panel.get("targets", [])]
    found += [each["expr"] for each in dashboard()["annotations"]["list"]]
    return [re.sub(r"\$(node|namespace)", ".*", each).replace("$__rate_interval", "5m") for each in found]


def queries():
    """All queries of alerts and dashboard."""
    return [rule["expr"] for rule in rules()] + dashboard_queries()


def selectors(query):
    """(metric, [(label, operator, value)]) of each selector. The metric of a query by __name__ is each that it names."""
    found = []
    for name, matchers in re.findall(r"(?:\b([a-zA-Z_]\w*))?\{([^}]*)\}", query):
        parts = re.findall(r'(\w+)(=~|!~|!=|=)"([^"]*)"', matchers)
        names = [name] if name else [each for label, _, value in parts if label == "__name__" for each in value.split("|")]
        found += [(each, [part for part in parts if part[0] != "__name__"]) for each in names]
    bare = re.sub(r"\{[^}]*\}", "{}", query)
    found += [(name, []) for name in re.findall(r"\b((?:aliquot|kube|DCGM)_\w+)\b(?!\{)", bare)]
    return found


def test_promtool_accepts_the_alerts(promtool):
    status, said = promtool("check", "rules", str(ALERTS))
    assert status == 0 and f"{len(rules())} rules found" in said, said


def test_promtool_parses_every_query_of_the_dashboard(promtool, tmp_path):
    file = tmp_path / "queries.yaml"
    file.write_text(json.dumps({"groups": [{"name": "dashboard", "rules": [
        {"record": f"query:{number}", "expr": query} for number, query in enumerate(dashboard_queries())]}]}))
    status, said = promtool("check", "rules", str(file))
    assert status == 0, said
    assert len(dashboard_queries()) > 30


def test_each_alert_fires_in_its_story_and_is_silent_in_the_other(promtool, tmp_path):
    cases = yaml.safe_load(CASES.read_text())
    assert set(cases) == {rule["alert"] for rule in rules()}
    tests = []
    for alert, stories in cases.items():
        for kind in ("fires", "silent"):
            story = stories[kind]
            samples = [{"labels": "{}", "value": story.get("count", 1)}] if kind == "fires" else []
            tests.append({
                "name": f"{alert} {kind}", "interval": "1m",
                "input_series": [dict(zip(("series", "values"), re.match(r"(.*\}|\w+) ([^{}]*)$", each).groups()))
                                 for each in story["series"]],
                "promql_expr_test": [{"eval_time": story["at"], "exp_samples": samples,
                                      "expr": f'count(ALERTS{{alertname="{alert}",alertstate="firing"}})'}]})
    file = tmp_path / "test.yaml"
    file.write_text(json.dumps({"rule_files": [str(ALERTS)], "evaluation_interval": "1m", "tests": tests}))
    status, said = promtool("test", "rules", str(file))
    assert status == 0, said


def test_an_alert_says_who_and_how_much(promtool, tmp_path):
    file = tmp_path / "test.yaml"
    file.write_text(json.dumps({"rule_files": [str(ALERTS)], "evaluation_interval": "1m", "tests": [{
        "interval": "1m", "input_series": [
            {"series": 'aliquot_allocator_certificate_expiry_seconds{certificate="server"}', "values": "87000x10"}],
        "alert_rule_test": [{"eval_time": "10m", "alertname": "AliquotCertificateEnded", "exp_alerts": [{
            "exp_labels": {"severity": "critical", "certificate": "server"}, "exp_annotations": {
                # 87000 s less the 600 s that have passed.
                "summary": "The certificate server has ended or ends within two days.",
                "description": next(rule for rule in rules() if rule["alert"] == "AliquotCertificateEnded")
                ["annotations"]["description"],
                "runbook_url": "docs/operations/alerts.md#aliquotcertificateended"}}]},
                            {"eval_time": "70m", "alertname": "AliquotCertificateEnds", "exp_alerts": []}]}]}))
    status, said = promtool("test", "rules", str(file))
    assert status == 0, said


def test_each_alert_has_a_severity_a_sentence_and_a_heading_to_go_to():
    for rule in rules():
        assert rule["labels"] == {"severity": rule["labels"]["severity"]}
        assert rule["labels"]["severity"] in ("critical", "warning", "info"), rule["alert"]
        assert set(rule["annotations"]) == {"summary", "description", "runbook_url"}
        page, anchor = rule["annotations"]["runbook_url"].split("#")
        assert anchor == rule["alert"].lower()
        headings = re.findall(r"^#+ (.*)$", (ROOT / page).read_text(), flags=re.MULTILINE)
        assert rule["alert"] in headings, f"{page} has no heading {rule['alert']}"


# ---- against the programs ----

def golden():
    """Metric to the set of its labels, from the golden lists of both programs."""
    listed = {}
    for name in ("metrics", "agent-metrics"):
        for line in (ROOT / "tests" / "golden" / f"{name}.txt").read_text().splitlines():
            metric, kind, labels = line.split(" ")
            known = set() if labels == "-" else set(labels.split(","))
            listed[metric] = known
            if kind == "histogram":
                listed |= {f"{metric}_bucket": known | {"le"}, f"{metric}_sum": known, f"{metric}_count": known}
    return listed


def test_every_metric_and_label_is_in_the_golden_lists():
    known = golden()
    used = set()
    for query in queries():
        ours = []
        for metric, matchers in selectors(query):
            if metric in OTHERS:
                continue
            assert metric in known, f"{metric} of: {query}"
            used.add(metric)
            ours.append(metric)
            for label, _, _ in matchers:
                assert label in known[metric] | SCRAPED, f"label {label} of {metric} in: {query}"
        # Labels that are grouped or joined by belong to some metric of the query.
        possible = set().union(*(known[each] for each in ours), SCRAPED) if ours else SCRAPED
        for group in re.findall(r"\b(?:by|on|without|ignoring) \(([^)]*)\)", query):
            for label in filter(None, re.split(r",\s*", group)):
                assert label in possible, f"label {label} in: {query}"
    assert len(used) > 30


def test_what_panels_and_alerts_say_of_labels_is_in_their_query():
    for panel in dashboard()["panels"]:
        for target in panel.get("targets", []):
            for label in re.findall(r"\{\{(\w+)\}\}", target["legendFormat"]):
                assert re.search(rf"\b{label}\b", target["expr"]), f"{panel['title']}: {label}"
    for rule in rules():
        for label in re.findall(r"\$labels\.(\w+)", json.dumps(rule["annotations"])):
            assert re.search(rf"by \([^)]*\b{label}\b", rule["expr"]), f"{rule['alert']}: {label}"


@pytest.fixture(scope="module", name="exported")
def _exported(tmp_path_factory):
    """Every series of a running allocator and a running agent: [(metric, {label: value})]."""
    folder = tmp_path_factory.mktemp("allocator")
    allocator = Allocator(Certificates(folder), folder)
    agent = AgentProcess(tmp_path_factory.mktemp("agent"))
    try:
        text = agent.start().get("/metrics") + allocator.monitor("/metrics")[1]
    finally:
        agent.stop()
        allocator.stop()
    return [(name, dict(re.findall(r'(\w+)="(.*?)"', labels or ""))) for name, labels in re.findall(
        r"^([a-zA-Z_]\w*)(?:\{(.*)\})? \S+$", text, flags=re.MULTILINE)]


# The driver's list of processes shows none in a container here, and no share is got past.
WITHOUT_SERIES = {"aliquot_share_memory_used_bytes", "aliquot_agent_unenforced"}
# What each operator of a selector asks of a label's value.
MATCHES = {"=": lambda value, wanted: value == wanted, "!=": lambda value, wanted: value != wanted,
           "=~": lambda value, wanted: re.fullmatch(wanted, value), "!~": lambda value, wanted: not re.fullmatch(wanted, value)}
# Matchers that no series of a healthy machine fits: they are held against the pages of the labels instead.
ONLY_WHEN_BROKEN = {("aliquot_card_healthy", "reason")}


def test_every_selector_finds_series_of_the_running_programs(exported):
    assert len(exported) > 200
    for query in queries():
        for metric, matchers in selectors(query):
            if metric in OTHERS | WITHOUT_SERIES:
                continue
            series = [labels for name, labels in exported if name == metric]
            assert series, f"nothing exports {metric} of: {query}"
            for label, operator, value in matchers:
                if label in SCRAPED or (metric, label) in ONLY_WHEN_BROKEN:
                    continue
                assert any(MATCHES[operator](labels.get(label, ""), value) for labels in series), \
                    f"{label}{operator}{value} of {metric}: {query}"
                # Of alternatives each must exist, or a misspelt one would go unseen.
                if operator in ("=~", "!~") and value != ".*":
                    for each in value.split("|"):
                        assert any(labels.get(label) == each for labels in series), f"{label} {each}: {query}"


def test_reasons_of_cards_are_documented():
    documented = (ROOT / "docs/reference/health.md").read_text() + (ROOT / "docs/reference/agent-metrics.md").read_text()
    for query in queries():
        for metric, matchers in selectors(query):
            for label, _, value in matchers:
                if (metric, label) in ONLY_WHEN_BROKEN:
                    assert all(f"`{each}`" in documented for each in value.split("|")), query


# ---- what the chart makes of it ----

def test_all_is_off_by_default(objects):
    kinds = {each["kind"] for each in objects}
    assert not kinds & {"ServiceMonitor", "PodMonitor", "PrometheusRule"}
    assert "aliquot-dashboard" not in {each["metadata"]["name"] for each in objects}


def test_the_rule_and_the_dashboard_are_the_files(helm):
    made = helm.render(*ALL_ON, "monitoring.rules.labels.release=stack", apis=OPERATOR)
    rule = one(made, "PrometheusRule")
    assert rule["spec"] == yaml.safe_load(ALERTS.read_text())
    assert rule["metadata"]["labels"]["release"] == "stack"
    board = one(made, "ConfigMap", "aliquot-dashboard")
    assert json.loads(board["data"]["aliquot.json"]) == dashboard()
    assert board["metadata"]["labels"]["grafana_dashboard"] == "1"


def test_alerts_link_to_the_address_of_the_values(helm):
    made = one(helm.render(*ALL_ON, "monitoring.rules.runbooks=https://wiki.example/gpu",
                           apis=OPERATOR), "PrometheusRule")
    for group in made["spec"]["groups"]:
        for rule in group["rules"]:
            assert rule["annotations"]["runbook_url"] == f"https://wiki.example/gpu#{rule['alert'].lower()}"


@pytest.mark.parametrize("name, kind", [("aliquot-allocator", "Deployment"), ("aliquot-agent", "DaemonSet")])
def test_each_program_is_scraped_with_the_callers_own_token(helm, name, kind):
    made = helm.render(*ALL_ON, apis=OPERATOR)
    monitor, service = one(made, "ServiceMonitor", name), one(made, "Service", name)
    (endpoint,) = monitor["spec"]["endpoints"]
    assert endpoint["scheme"] == "https" and endpoint["bearerTokenFile"].endswith("/serviceaccount/token")
    # A share's namespace, pod and container are not to be overwritten by those of the scraped pod.
    assert endpoint["honorLabels"] is True
    assert {"sourceLabels": ["__meta_kubernetes_pod_node_name"], "targetLabel": "node"} in endpoint["relabelings"]
    # The job that alerts name is the Service's label.
    assert service["metadata"]["labels"][monitor["spec"]["jobLabel"]] == name
    assert any(f'job="{name}"' in rule["expr"] for rule in rules())
    assert monitor["spec"]["selector"]["matchLabels"].items() <= service["metadata"]["labels"].items()
    (port,) = service["spec"]["ports"]
    assert endpoint["port"] == port["name"]
    template = one(made, kind, name)["spec"]["template"]
    assert service["spec"]["selector"].items() <= template["metadata"]["labels"].items()
    ports = [each for container in template["spec"]["containers"] for each in container.get("ports", [])]
    assert any(port["targetPort"] in (each.get("name"), each["containerPort"]) for each in ports), ports


@pytest.mark.parametrize("settings, secret", [
    ((), "aliquot-scheduler-client"),
    (("scheduler.mode=stock",), "aliquot-scheduler-client"),
    (("certificates.mode=certManager",), "aliquot-extender-tls"),
    (("certificates.mode=given", "certificates.given.caBundle=Zm9v", "certificates.given.schedulerSecret=mine"), "mine")])
def test_the_allocator_is_verified_by_the_authority_of_its_certificate(helm, settings, secret):
    made = helm.render(*ALL_ON, *settings, apis=(*OPERATOR, "cert-manager.io/v1"))
    (endpoint,) = one(made, "ServiceMonitor", "aliquot-allocator")["spec"]["endpoints"]
    assert endpoint["tlsConfig"] == {"ca": {"secret": {"name": secret, "key": "ca.crt"}},
                                     "serverName": "aliquot-extender.aliquot-system.svc"}
    # It is there: made by the chart or by cert-manager, or given.
    names = {each["metadata"]["name"] for each in made if each["kind"] == "Secret"} | {
        each["spec"]["secretName"] for each in made if each["kind"] == "Certificate"}
    assert secret == "mine" or secret in names
    # Whom nobody certifies is not verified.
    (agent,) = one(made, "ServiceMonitor", "aliquot-agent")["spec"]["endpoints"]
    assert agent["tlsConfig"] == {"insecureSkipVerify": True}


def test_the_dashboard_is_one_that_grafana_can_take():
    board = dashboard()
    numbers = [panel["id"] for panel in board["panels"]]
    assert len(numbers) == len(set(numbers)) and board["uid"] and board["schemaVersion"] >= 36
    for panel in board["panels"]:
        place = panel["gridPos"]
        assert 0 <= place["x"] and place["x"] + place["w"] <= 24, panel["title"]
        if panel["type"] != "row":
            assert panel["datasource"]["uid"] == "${datasource}" and panel["description"], panel["title"]
            refs = [target["refId"] for target in panel["targets"]]
            assert refs and len(refs) == len(set(refs)), panel["title"]
    for variable in board["templating"]["list"]:
        if variable["type"] == "query":
            metric, label = re.match(r"label_values\((\w+), (\w+)\)", variable["definition"]).groups()
            assert label in golden()[metric], variable["name"]
