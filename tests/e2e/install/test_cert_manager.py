# SPDX-License-Identifier: Apache-2.0
"""certificates.mode certManager with the real cert-manager, in order, on one cluster: install, renew
under load, a new authority under load, uninstall, and what a change of the mode needs."""
import base64
import os
import ssl

import pytest

from harness import pods
from harness.arrivals import Arrivals
from harness.cert_manager import CertManager
from harness.install_workspace import InstallWorkspace
from harness.installation import Installation
from harness.waiting import until

SERVERS = {"aliquot-extender": "aliquot-extender-tls", "aliquot-admission": "aliquot-admission-tls"}
SECRETS = ["aliquot-admission-tls", "aliquot-cert-manager-ca", "aliquot-extender-tls",
           "aliquot-scheduler-client"]
CERTIFICATES = ["aliquot-admission", "aliquot-ca", "aliquot-extender", "aliquot-scheduler-client"]


@pytest.fixture(scope="module")
def installed(make_cluster):
    """A cluster with cert-manager, and the chart, which the module's first test installs."""
    return Installation(make_cluster(), {"certificates": {"mode": "certManager"}})


@pytest.fixture(scope="module")
def manager(installed):
    """cert-manager."""
    return CertManager(installed.cluster).start()


def _pem(installed, secret, key):
    return base64.b64decode(installed.secret(secret)[key]).decode().strip()


def _connect(installed, service, context):
    found = installed.api.get(f"/api/v1/namespaces/{installed.namespace}/services/{service}")["spec"]
    return context.wrap_socket(
        installed.cluster.box.connect(found["ports"][0]["port"], host=found["clusterIP"]),
        server_hostname=f"{service}.{installed.namespace}.svc")


def _shown(installed, service):
    """The certificate that a Service shows now."""
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    with _connect(installed, service, context) as connection:
        return ssl.DER_cert_to_PEM_cert(connection.getpeercert(True)).strip()


class Caller:
    """Who knows the authority of this moment and has kube-scheduler's certificate of it. Real ones keep
    their connections, so they alone would not show whether a new one can be made."""

    def __init__(self, installed):
        self._installed = installed
        pair = installed.cluster.folder / "client.pem"
        pair.write_text("\n".join(_pem(installed, "aliquot-scheduler-client", key)
                                  for key in ("tls.crt", "tls.key")) + "\n")
        self._context = ssl.create_default_context(
            cadata=_pem(installed, "aliquot-scheduler-client", "ca.crt"))
        self._context.load_cert_chain(pair)

    def check(self):
        """Fails unless both servers are believed and answer."""
        for service in SERVERS:
            with _connect(self._installed, service, self._context) as connection:
                connection.sendall(b"GET / HTTP/1.0\r\n\r\n")
                assert connection.recv(8).startswith(b"HTTP/1."), service


def _hurry(installed, number):
    """Has the kubelet look at our pods' Secrets now; by itself it does within two minutes."""
    for component in ("allocator", "scheduler"):
        name = installed.pod_of(component)["metadata"]["name"]
        installed.api.patch(f"/api/v1/namespaces/{installed.namespace}/pods/{name}",
                            {"metadata": {"annotations": {"example.org/looked-at": str(number)}}})


def _taken_up(installed, number):
    """Returns when both servers show what cert-manager has put into their Secrets."""
    _hurry(installed, number)
    for service, secret in SERVERS.items():
        until(f"{service} to show the certificate of {secret}", lambda of=(service, secret): _shown(
            installed, of[0]) == _pem(installed, of[1], "tls.crt"), timeout=30, every=0.2)


def _nobody_was_turned_away(installed, work):
    """What the arrivals themselves do not see: a bind or a filter that failed and was tried again."""
    told = [each.get("message") or each.get("note") for each in installed.api.get(
        f"/api/v1/namespaces/{work.name}/events")["items"] if each["reason"] == "FailedScheduling"]
    assert not told, told
    status = installed.pod_of("scheduler")["status"]["containerStatuses"][0]
    assert status["restartCount"] == 0, "kube-scheduler had to start anew"


def test_gpu_pods_run_on_certificates_of_cert_manager(manager, installed, work):
    installed.install()
    assert manager.names(installed.namespace) == CERTIFICATES
    work.create(pods.share("share"))
    work.wait_running("share")
    assert work.report("share").cards() == work.granted("share")["main"]
    installed.check_doctor()
    status, text = installed.test()
    assert status == 0, text


def test_renewed_certificates_are_taken_up_and_no_call_fails(manager, installed, work):
    before = {secret: _pem(installed, secret, "tls.crt") for secret in SECRETS}
    with Arrivals(work) as arrivals:
        arrivals.wait_for(1)
        for name in CERTIFICATES:
            if name != "aliquot-ca":
                manager.renew(installed.namespace, name)
        _taken_up(installed, 1)
        arrivals.wait_for(3)
    arrivals.check()
    _nobody_was_turned_away(installed, work)
    renewed = [secret for secret in SECRETS if _pem(installed, secret, "tls.crt") != before[secret]]
    assert renewed == [secret for secret in SECRETS if secret != "aliquot-cert-manager-ca"]


def test_a_renewed_authority_and_what_it_signs_are_believed_by_who_has_the_one_before(
        manager, installed, work):
    before = _pem(installed, "aliquot-cert-manager-ca", "tls.crt")
    caller = Caller(installed)
    caller.check()
    with Arrivals(work) as arrivals:
        manager.renew(installed.namespace, "aliquot-ca")
        for name in ("aliquot-extender", "aliquot-admission"):
            manager.renew(installed.namespace, name)
        _taken_up(installed, 2)
        # As kube-scheduler, which has read its authority when it started.
        caller.check()
        arrivals.wait_for(3)
        manager.renew(installed.namespace, "aliquot-scheduler-client")
        _hurry(installed, 3)
        arrivals.wait_for(2)
    arrivals.check()
    Caller(installed).check()
    _nobody_was_turned_away(installed, work)
    now = _pem(installed, "aliquot-extender-tls", "ca.crt")
    assert now == _pem(installed, "aliquot-cert-manager-ca", "tls.crt") != before


def test_uninstalling_leaves_what_cert_manager_keeps_as_the_page_says_and_no_more(
        manager, installed):
    installed.uninstall()
    assert manager.names(installed.namespace) == []
    for kind in ("issuers", "certificaterequests"):
        assert installed.cluster.listed(f"{kind}.cert-manager.io", "--all-namespaces") == [], kind
    assert _secrets(installed) == SECRETS


def _secrets(installed):
    """The names of all Secrets of our namespace but helm's own."""
    return sorted(each["metadata"]["name"] for each in installed.cluster.listed(
        "secrets", f"--namespace={installed.namespace}") if not each["type"].startswith("helm.sh"))


MANAGED = {"certificates": {"mode": "managed"}}


def test_a_secret_of_cert_manager_is_in_the_way_of_managed_mode_and_the_sentence_helps(installed):
    status, text = installed.try_install(**MANAGED)
    assert status != 0 and "is cert-manager's" in text, text
    command = text[text.index("kubectl -n "):].splitlines()[0].split()
    installed.cluster.kubectl(*command[1:])
    assert _secrets(installed) == [each for each in SECRETS if each != "aliquot-scheduler-client"]
    if os.environ.get("E2E_INSTALL_EXHAUSTIVE"):
        _change_modes(installed, command)


def _change_modes(installed, command):
    """Installs as managed, changes to cert-manager and back; GPU pods run each time."""
    work = InstallWorkspace(installed.cluster, "modes")
    installed.install(**MANAGED)
    for number, values in enumerate(({}, MANAGED)):
        if values:
            installed.cluster.kubectl(*command[1:])
        installed.upgrade(**values)
        work.create(pods.share(f"share-{number}"))
        work.wait_running(f"share-{number}")
        status, text = installed.aliquotctl("doctor", check=False)
        assert status == 0, text
