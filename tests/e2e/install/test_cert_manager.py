# SPDX-License-Identifier: Apache-2.0
"""certificates.mode certManager with the real cert-manager, in order, on one cluster: install, renew
under load, a new authority under load, uninstall."""
import base64
import json
import ssl

import pytest

from harness import pods
from harness.arrivals import Arrivals
from harness.cert_manager import CertManager
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


def _shown(installed, service):
    """The certificate that a Service shows now."""
    found = installed.api.get(f"/api/v1/namespaces/{installed.namespace}/services/{service}")["spec"]
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    with context.wrap_socket(installed.cluster.box.connect(
            found["ports"][0]["port"], host=found["clusterIP"])) as connection:
        return ssl.DER_cert_to_PEM_cert(connection.getpeercert(True)).strip()


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
    status, text = installed.aliquotctl("doctor", "--output=json", check=False)
    findings = json.loads(text)["findings"]
    assert status == 0 and not [each for each in findings if each["result"] != "ok"], text
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
    with Arrivals(work) as arrivals:
        manager.renew(installed.namespace, "aliquot-ca")
        # The scheduler shows a certificate of before to an allocator that has the new authority only,
        # and kube-scheduler has read the old one.
        for name in ("aliquot-extender", "aliquot-admission"):
            manager.renew(installed.namespace, name)
        _taken_up(installed, 2)
        arrivals.wait_for(3)
        manager.renew(installed.namespace, "aliquot-scheduler-client")
        _hurry(installed, 3)
        arrivals.wait_for(2)
    arrivals.check()
    _nobody_was_turned_away(installed, work)
    now = _pem(installed, "aliquot-extender-tls", "ca.crt")
    assert now == _pem(installed, "aliquot-cert-manager-ca", "tls.crt") != before


def test_uninstalling_leaves_what_cert_manager_keeps_as_the_page_says_and_no_more(
        manager, installed):
    installed.uninstall()
    assert manager.names(installed.namespace) == []
    for kind in ("issuers", "certificaterequests"):
        assert installed.cluster.listed(f"{kind}.cert-manager.io", "--all-namespaces") == [], kind
    left = [each["metadata"]["name"] for each in installed.cluster.listed(
        "secrets", f"--namespace={installed.namespace}") if not each["type"].startswith("helm.sh")]
    assert sorted(left) == SECRETS
