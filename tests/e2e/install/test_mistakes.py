# SPDX-License-Identifier: Apache-2.0
"""Mistakes and surroundings that do not fit: each ends in a sentence, before anything is changed."""
import pytest

from harness.api import ApiError
from harness.installation import Installation
from harness.waiting import until


@pytest.fixture(scope="module")
def installed(make_cluster):
    """A cluster on which nothing is installed yet."""
    return Installation(make_cluster())


def _namespace(installed, name, **labels):
    try:
        installed.api.post("/api/v1/namespaces", {
            "apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": {
                key.replace("_", "/"): value for key, value in labels.items()}}})
    except ApiError as error:
        assert error.code == 409, error


def _refused(installed, *words, namespace=None, release="aliquot", **values):
    status, text = installed.try_install(release, namespace, **values)
    assert status != 0, "it was installed"
    assert all(word in text for word in words), text
    return text


def _nothing_of_ours(installed):
    return not [each for kind in ("clusterroles", "mutatingwebhookconfigurations") for each in
                installed.cluster.listed(kind) if each["metadata"]["name"].startswith("aliquot")]


@pytest.mark.parametrize("words, settings", [
    (["namespace", "-n aliquot-system"], {"namespace": "default"}),
    (["namespace"], {"namespace": "kube-system"}),
    (["cert-manager.io/v1", "install cert-manager first"],
     {"certificates": {"mode": "certManager"}}),
    (["monitoring.coreos.com/v1", "Prometheus operator"],
     {"monitoring": {"rules": {"enabled": True}}}),
    (["monitoring.coreos.com/v1"], {"monitoring": {"serviceMonitor": {"enabled": True}}}),
    (["additional properties", "allocater"], {"allocater": {}}),
], ids=["default", "kube-system", "cert-manager", "rules", "service-monitor", "misspelt"])
def test_a_value_that_cannot_work_is_refused_before_anything_is_made(installed, words, settings):
    _refused(installed, *words, **settings)
    assert _nothing_of_ours(installed)


def test_a_namespace_that_enforces_pod_security_is_named_with_the_command_that_helps(installed):
    _namespace(installed, "aliquot-restricted", **{
        "pod-security.kubernetes.io_enforce": "restricted"})
    text = _refused(installed, "restricted", "kubectl label namespace aliquot-restricted",
                    namespace="aliquot-restricted")
    assert _nothing_of_ours(installed)
    # And the command does help.
    command = text[text.index("kubectl label"):].splitlines()[0].split()[1:7]
    installed.cluster.kubectl(*[each.rstrip(".") for each in command if each.startswith(
        ("label", "namespace", "aliquot", "pod-security", "--overwrite"))])
    label = installed.api.get("/api/v1/namespaces/aliquot-restricted")["metadata"]["labels"]
    assert label["pod-security.kubernetes.io/enforce"] == "privileged"


def test_a_second_installation_is_refused_and_the_first_goes_on(installed):
    installed.install()
    before = installed.pod_of("allocator")["metadata"]["uid"]
    _refused(installed, "installed in this cluster already", "aliquot-system",
             namespace="aliquot-second", release="second")
    assert installed.pod_of("allocator")["metadata"]["uid"] == before
    assert installed.admits()


def test_doctor_finds_other_sharers_of_the_same_cards(installed):
    node = installed.cluster.nodes[0].name
    installed.api.patch(f"/api/v1/nodes/{node}/status", {"status": {
        "capacity": {"nvidia.com/gpu": "4"}, "allocatable": {"nvidia.com/gpu": "4"}}})

    def told():
        status, text = installed.aliquotctl("doctor", check=False)
        assert status == 2, f"{status}: {text}"
        assert "nvidia.com/gpu" in text, text
        return text
    until("doctor to find them", told, timeout=20)


def test_a_proxy_in_the_environment_is_not_for_our_pods(installed):
    for component in ("allocator", "agent", "scheduler"):
        spec = installed.pod_of(component)["spec"]
        for container in spec["containers"]:
            given = {each["name"]: each.get("value", "") for each in container.get("env") or []}
            wrong = {name: given.get(name) for name in ("HTTPS_PROXY", "HTTP_PROXY")
                     if given.get(name) != ""}
            assert not wrong, f"{component}/{container['name']}: {wrong}"
