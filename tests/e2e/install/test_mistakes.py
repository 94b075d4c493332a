# SPDX-License-Identifier: Apache-2.0
"""Mistakes and surroundings that do not fit: each ends in a sentence, before anything is changed."""
import json
import re

import pytest

from harness import binaries, kubeconfig, pods, shifted_clock
from harness.api import ApiError
from harness.box import BoxProcess
from harness.installation import Installation
from harness.neighbours import neighbours
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


def test_where_others_hand_out_cards_the_notes_and_doctor_say_so(installed):
    node = installed.cluster.nodes[0]
    with neighbours(installed.cluster):
        notes = installed.place()
        assert "HAMi is installed in this cluster (webhook hami-webhook)" in notes, notes
        assert "gpu-manager runs in this cluster" in notes, notes
        assert "docs/migrate/gpu-manager.md" in notes

        def told():
            found = _findings(installed, status=None)
            assert found["hami"]["result"] == "warning" and "hami-webhook" in found["hami"]["says"]
            assert found["gpu-manager"]["result"] == "warning", found["gpu-manager"]
            assert "runs on 1 node" in found["gpu-manager"]["says"]
            assert all(found[each]["remedy"] for each in ("hami", "gpu-manager"))
            return True
        until("doctor to find both", told, timeout=20)
        # What gpu-manager hands out is not handed out a second time, and the agent says whose it is.
        assert node.object()["status"]["allocatable"].get(pods.CORE, "0") == "0"
        assert "nvidia-device-enable is enable, which places gpu-manager here" in "".join(
            node.logs(installed.pod_of("agent"), "agent"))
    installed.wait_in_place()
    # Once they are gone nothing is left to say.
    until("doctor to find neither", lambda: [
        _findings(installed)[each]["result"] for each in ("hami", "gpu-manager")] == ["ok"] * 2)


def _findings(installed, status=0, environment=None):
    """What doctor says: {check: finding}. It is to end with this status; None: with any."""
    ended, text = installed.aliquotctl("doctor", "-o", "json", check=False,
                                       environment=environment or {})
    assert status in (None, ended), f"{ended}: {text}"
    return {each["check"]: each for each in json.loads(text)["findings"]}


def test_a_clock_that_is_wrong_ends_in_a_sentence_and_an_hour_breaks_no_certificate(installed):
    # The test's API server has a certificate of a moment ago: who is late reaches it without one.
    cluster = installed.cluster
    proxy = BoxProcess(cluster.box, "kubectl-proxy", [
        binaries.program("kubectl"), "proxy", "--port=8001",
        f"--kubeconfig={cluster.plane.kubeconfig('admin')}"]).start()
    plain = kubeconfig.write(cluster.folder / "proxy.kubeconfig", "http://127.0.0.1:8001",
                             cluster.plane.authority.certificate)
    try:
        proxy.wait_until("listening", lambda: "Starting to serve" in proxy.log_tail(), timeout=10)

        def seen(shift, status):
            return _findings(installed, status, {"KUBECONFIG": str(plain), **shifted_clock.environment(
                cluster.folder, shift)})
        served = ("scheduler-certificate", "extender-certificate", "admission-certificate")
        for shift, word in ((-3600, "behind"), (3600, "ahead of")):
            found = seen(shift, 0)
            assert found["clock"]["result"] == "warning"
            assert re.search(rf"this clock is (3599|3600|3601) s {word} the API server's",
                             found["clock"]["says"]), found["clock"]
            assert "NTP" in found["clock"]["remedy"]
            assert [found[each]["result"] for each in served] == ["ok"] * 3, found
        found = seen(-25 * 3600, 2)
        assert [found[each]["result"] for each in ("clock", *served)] == ["failed"] * 4, found
        assert all("not valid now" in found[each]["says"] or "not yet valid" in found[each]["says"]
                   for each in served), found
    finally:
        proxy.kill()


def test_a_second_installation_is_refused_and_the_first_goes_on(installed):
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
