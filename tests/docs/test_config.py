# SPDX-License-Identifier: Apache-2.0
"""The shipped examples agree with each other, with the chart and with the reference pages."""
import pathlib
import re

import pytest
import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]


def load(name):
    """One document of config/ or of the chart."""
    return yaml.safe_load((ROOT / name).read_text())


def seconds(duration):
    """A duration of ours or of Kubernetes in seconds."""
    number, unit = re.fullmatch(r"(\d+)(ms|s|m|h)", duration).groups()
    return int(number) * {"ms": 0.001, "s": 1, "m": 60, "h": 3600}[unit]


@pytest.fixture(name="allocator")
def _allocator():
    return load("config/allocator.yaml")


@pytest.fixture(name="extender")
def _extender():
    (extender,) = load("config/kube-scheduler.yaml")["extenders"]
    return extender


def test_the_scheduler_waits_longer_than_the_allocator_takes(allocator, extender):
    deadlines = allocator["deadlines"]
    assert seconds(deadlines["filter"]) < seconds(deadlines["bind"]) < seconds(extender["httpTimeout"])


def test_the_scheduler_sends_the_pods_that_the_allocator_serves(allocator, extender):
    names = allocator["resourceNames"]
    assert extender["managedResources"] == [
        {"name": names["core"], "ignoredByScheduler": False}, {"name": names["memory"], "ignoredByScheduler": False}]
    assert all(each.startswith(names["prefix"]) for each in (names["core"], names["memory"]))


def test_the_scheduler_calls_the_service_of_the_chart_by_its_certificate(extender):
    host = "aliquot-extender.aliquot-system.svc"
    assert extender["urlPrefix"] == f"https://{host}:8443/scheduler"
    assert extender["tlsConfig"]["serverName"] == host
    assert {"caFile", "certFile", "keyFile"} < set(extender["tlsConfig"]) and extender["enableHTTPS"] is True
    assert "insecure" not in extender["tlsConfig"]


def test_the_scheduler_uses_the_verbs_that_exist(extender):
    page = (ROOT / "docs/reference/http-api.md").read_text()
    verbs = {key: value for key, value in extender.items() if key.endswith("Verb")}
    assert verbs == {"filterVerb": "filter", "prioritizeVerb": "prioritize", "bindVerb": "bind",
                     "preemptVerb": "preempt"}
    for verb in verbs.values():
        assert f"/scheduler/{verb}" in page


def test_every_number_of_the_scheduler_configuration_has_its_reason():
    lines = (ROOT / "config/kube-scheduler.yaml").read_text().splitlines()
    numbered = [at for at, line in enumerate(lines) if re.match(r"^\s*\w+: \d", line)]
    assert len(numbered) == 3  # percentageOfNodesToScore, weight, httpTimeout
    for at in numbered:
        assert lines[at - 1].lstrip().startswith("#"), lines[at]


def flat(value, prefix=""):
    """Every key of nested maps with its value, dotted."""
    for key, each in value.items():
        if isinstance(each, dict):
            yield from flat(each, f"{prefix}{key}.")
        else:
            yield prefix + key, each


def test_the_example_has_every_key_of_the_reference_page_at_its_default(allocator):
    rows = re.findall(r"^\| `([\w.]+)` \| (.*?) \| ", (ROOT / "docs/reference/configuration.md").read_text(),
                      flags=re.MULTILINE)
    example = dict(flat(allocator))
    assert list(example) == [key for key, _ in rows]
    given = {"apiVersion", "kind", "tls.certificateFile", "tls.keyFile", "tls.clientCAFile"}
    for key, default in rows:
        if key not in given:
            written = re.match(r"`([^`]*)`", default).group(1).strip('"')
            value = ", ".join(example[key]) if isinstance(example[key], list) else str(example[key])
            assert value.lower() == written.lower(), key


def test_the_chart_takes_the_keys_that_the_allocator_has(allocator):
    schema = load("charts/aliquot/values.schema.json")["properties"]["allocator"]["properties"]["config"]["properties"]

    def keys(properties, prefix=""):
        for key, each in properties.items():
            if "properties" in each:
                yield from keys(each["properties"], f"{prefix}{key}.")
            else:
                yield prefix + key

    # It sets these itself: addresses, names of its objects, and what other values say.
    by_the_chart = ("apiVersion", "kind", "kubeconfig", "clusterFile", "addressesFile", "resourceNames.", "listen.",
                    "tls.", "signing.", "admission.", "managedTls.namespace", "managedTls.directory",
                    "managedTls.extenderService", "managedTls.admissionService", "managedTls.caSecret",
                    "managedTls.schedulerSecret", "managedTls.webhookConfiguration", "managedSigning.secret",
                    "managedSigning.configMap")
    assert set(keys(schema)) == {key for key, _ in flat(allocator) if not key.startswith(by_the_chart)}


def test_the_chart_and_the_example_have_the_same_resource_names(allocator):
    assert load("charts/aliquot/values.yaml")["resourceNames"] == allocator["resourceNames"]


def test_the_demo_cluster_uses_only_keys_of_its_reference_page():
    page = (ROOT / "docs/reference/cluster-file.md").read_text()
    documented = set(re.findall(r"`(\w+)`", page))

    def keys(value):
        if isinstance(value, dict):
            for key, each in value.items():
                if key != "annotations":
                    yield key
                    yield from keys(each)
        elif isinstance(value, list):
            for each in value:
                yield from keys(each)

    used = set(keys(load("config/demo-cluster.yaml")))
    assert used - {"link"} <= documented, used - documented
    assert "link: word" in page
