# SPDX-License-Identifier: Apache-2.0
"""aliquotctl scheduler-config, as an init container and against an API server."""
import base64
import os
import shutil
import stat
import subprocess
import threading
import time

import aliquotctl
import pytest
import yaml
from aliquotctl import run
from object_server import Certificates, ObjectServer, encoded

SYSTEM = "/api/v1/namespaces/aliquot-system"
SERVICE = f"GET {SYSTEM}/services/aliquot-extender"
SECRET = f"GET {SYSTEM}/secrets/aliquot-scheduler-client"


@pytest.fixture(name="certificates", scope="module")
def _certificates(tmp_path_factory):
    return Certificates(tmp_path_factory.mktemp("scheduler-config") / "authority")


@pytest.fixture(name="server")
def _server(certificates):
    server = ObjectServer()
    certificate, key = certificates.issue("aliquot-scheduler")
    server.objects = {
        SERVICE: {"metadata": {"name": "aliquot-extender"}, "spec": {"clusterIP": "10.96.7.8", "ports": [{"port": 8443}]}},
        SECRET: {"data": {"ca.crt": encoded(certificates.authority), "tls.crt": encoded(certificate),
                          "tls.key": encoded(key)}}}
    yield server
    server.close()


def fill(directory, certificates):
    """What the kubelet mounts, one file after the other."""
    certificate, key = certificates.issue("aliquot-scheduler")
    for source, name in ((certificates.authority, "ca.crt"), (certificate, "tls.crt"), (key, "tls.key")):
        shutil.copy(source, directory / name)


def in_pod(directory, *words, **variables):
    """The finished process, with only these variables of the Service."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("ALIQUOT_EXTENDER")}
    return subprocess.run([aliquotctl.PROGRAM, "scheduler-config", "--in-pod", "--certificates", directory, *words],
                          env=environment | variables, capture_output=True, text=True, check=False, timeout=60)


def test_in_a_pod_it_waits_for_the_certificate_and_writes_the_whole_file(tmp_path, certificates):
    mounted = tmp_path / "mounted"
    mounted.mkdir()
    written = tmp_path / "scheduler.yaml"
    begun = threading.Event()

    def later():
        begun.wait()
        time.sleep(0.2)  # so that the program looks at an empty directory first; it need not for the test to hold
        fill(mounted, certificates)
    filler = threading.Thread(target=later)
    filler.start()
    begun.set()
    done = in_pod(mounted, "--wait", "30s", "--output", written, "--scheduler-name", "aliquot", "--lease-namespace", "gpu",
                  ALIQUOT_EXTENDER_SERVICE_HOST="10.96.0.9", ALIQUOT_EXTENDER_SERVICE_PORT="8443")
    filler.join()
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    config = yaml.safe_load(written.read_text())
    assert config["kind"] == "KubeSchedulerConfiguration" and config["percentageOfNodesToScore"] == 100
    assert config["profiles"] == [{"schedulerName": "aliquot"}] and "clientConnection" not in config
    assert config["leaderElection"] == {"leaderElect": True, "resourceNamespace": "gpu", "resourceName": "aliquot-scheduler"}
    (extender,) = config["extenders"]
    assert extender["urlPrefix"] == "https://10.96.0.9:8443/scheduler"
    assert extender["tlsConfig"] == {"serverName": "aliquot-extender.gpu.svc", "caFile": f"{mounted}/ca.crt",
                                     "certFile": f"{mounted}/tls.crt", "keyFile": f"{mounted}/tls.key"}


def test_in_a_pod_of_an_ipv6_cluster_the_address_has_brackets(tmp_path, certificates):
    fill(tmp_path, certificates)
    done = in_pod(tmp_path, ALIQUOT_EXTENDER_SERVICE_HOST="fd00::7", ALIQUOT_EXTENDER_SERVICE_PORT="8443")
    assert yaml.safe_load(done.stdout)["extenders"][0]["urlPrefix"] == "https://[fd00::7]:8443/scheduler"


def test_in_a_pod_without_variables_the_services_name_is_used(tmp_path, certificates):
    fill(tmp_path, certificates)
    done = in_pod(tmp_path, "--lease-namespace", "gpu")
    assert yaml.safe_load(done.stdout)["extenders"][0]["urlPrefix"] == "https://aliquot-extender.gpu.svc:8443/scheduler"


def test_in_a_pod_a_key_of_another_certificate_is_waited_over_and_then_named(tmp_path, certificates):
    fill(tmp_path, certificates)
    _, other = certificates.issue("another")
    shutil.copy(other, tmp_path / "tls.key")
    done = in_pod(tmp_path, "--wait", "100ms")
    assert done.returncode == 1 and done.stderr.count("\n") == 1
    assert "tls.key" in done.stderr and "aliquot-allocator" in done.stderr and "PRIVATE" not in done.stderr


def test_of_an_installation_it_is_the_address_and_the_certificates_in_place(server, tmp_path):
    done = run("scheduler-config", "--kubeconfig", server.kubeconfig(tmp_path))
    assert done.returncode == 0 and done.stderr.count("\n") == 1 and "private key" in done.stderr
    config = yaml.safe_load(done.stdout)
    assert config["clientConnection"] == {"kubeconfig": "/etc/kubernetes/scheduler.conf"}
    assert "leaderElection" not in config and "profiles" not in config
    (extender,) = config["extenders"]
    assert extender["urlPrefix"] == "https://10.96.7.8:8443/scheduler"
    data = server.objects[SECRET]["data"]
    assert extender["tlsConfig"] == {"serverName": "aliquot-extender.aliquot-system.svc", "caData": data["ca.crt"],
                                     "certData": data["tls.crt"], "keyData": data["tls.key"]}
    assert [request[:2] for request in server.requests] == [
        ("GET", f"{SYSTEM}/services/aliquot-extender"), ("GET", f"{SYSTEM}/secrets/aliquot-scheduler-client")]


def test_the_stanza_can_be_merged_alone(server, tmp_path):
    done = run("scheduler-config", "--kubeconfig", server.kubeconfig(tmp_path), "--stanza")
    assert set(yaml.safe_load(done.stdout)) == {"percentageOfNodesToScore", "extenders"}


def test_a_file_with_the_private_key_is_its_owners_only(server, tmp_path):
    written = tmp_path / "scheduler.yaml"
    written.write_text("before")
    written.chmod(0o644)
    done = run("scheduler-config", "--kubeconfig", server.kubeconfig(tmp_path), "--output", written)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert stat.S_IMODE(written.stat().st_mode) == 0o600 and "keyData" in written.read_text()


@pytest.mark.parametrize("key, answer, parts", [
    (SERVICE, (404, "not found"), ["services aliquot-extender in namespace aliquot-system", "-n"]),
    (SERVICE, {"spec": {"clusterIP": "None"}}, ["no ClusterIP"]),
    (SERVICE, (403, 'user "u" cannot get resource "services"'), ["no right to get services aliquot-extender"]),
    (SECRET, (403, 'user "u" cannot get resource "secrets"'), ["no right to get secrets aliquot-scheduler-client"]),
    (SECRET, {"data": {}}, ["holds no client certificate yet", "log of aliquot-allocator"]),
    (SECRET, {"data": {"ca.crt": base64.b64encode(b"x").decode()}}, ["holds no client certificate yet"])])
def test_what_is_missing_is_one_sentence_with_the_remedy(server, tmp_path, key, answer, parts):
    server.objects[key] = answer
    done = run("scheduler-config", "--kubeconfig", server.kubeconfig(tmp_path))
    assert done.returncode == 1 and done.stdout == "" and done.stderr.count("\n") == 1
    for part in parts:
        assert part in done.stderr, done.stderr


@pytest.mark.parametrize("words, part", [
    (("--scheduler-name", "a: b"), "--scheduler-name"), (("--lease-namespace", "A"), "namespace"),
    (("--resource-core", "core"), "tencent.com/vcuda-core"), (("--wait", "soon"), "--wait")])
def test_wrong_words_are_one_sentence(tmp_path, words, part):
    done = in_pod(tmp_path, "--wait", "1ms", *words) if "--wait" not in words else in_pod(tmp_path, *words)
    assert done.returncode == 1 and done.stderr.count("\n") == 1 and part in done.stderr, done.stderr
