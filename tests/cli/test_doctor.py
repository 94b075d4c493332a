# SPDX-License-Identifier: Apache-2.0
"""aliquotctl doctor against an API server of given objects, and Services that are TLS listeners."""
import http.server
import json
import re
import ssl
import threading

import pytest
from aliquotctl import ROOT, run
from object_server import Certificates, ObjectServer, encoded

SYSTEM = "/api/v1/namespaces/aliquot-system"
APPS = "/apis/apps/v1"
POLICIES = "/apis/admissionregistration.k8s.io/v1"
TRIED = "POST /api/v1/namespaces/default/pods"
NAMES = ["aliquot-pod-record", "aliquot-binding-record", "aliquot-gpu-inventory", "aliquot-agent-node",
         "aliquot-agent-event", "aliquot-isolation", "aliquot-gpu-uuid"]


class Listener:
    """A Service: HTTPS that answers 404, and wants a client's certificate of `authority` when one is given."""

    def __init__(self, certificate, key, authority=None):
        class Handler(http.server.BaseHTTPRequestHandler):
            """404 for everything."""

            def do_GET(self):  # pylint: disable=invalid-name
                """The base class's name."""
                self.send_error(404)

            def log_message(self, *_):  # pylint: disable=arguments-differ
                pass
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, key)
        if authority is not None:
            context.load_verify_locations(authority)
            context.verify_mode = ssl.CERT_REQUIRED
        self._server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
        self._server.handle_error = lambda *_: None
        self._server.socket = context.wrap_socket(self._server.socket, server_side=True)
        self.port = self._server.server_port
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,))
        self._thread.start()

    def service(self, name):
        """The object."""
        return {"metadata": {"name": name}, "spec": {"clusterIP": "127.0.0.1", "ports": [{"port": self.port}]}}

    def close(self):
        """Ends it."""
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


def webhooks(authority):
    """MutatingWebhookConfiguration aliquot."""
    return {"metadata": {"name": "aliquot"}, "webhooks": [{
        "name": "mutate.admission.aliquot.io", "failurePolicy": "Fail", "matchConditions": [{"name": "ours"}],
        "clientConfig": {"caBundle": encoded(authority),
                         "service": {"name": "aliquot-admission", "namespace": "aliquot-system"}}}]}


@pytest.fixture(name="certificates", scope="module")
def _certificates(tmp_path_factory):
    return Certificates(tmp_path_factory.mktemp("doctor") / "authority")


@pytest.fixture(name="server")
def _server(certificates):
    listeners = [Listener(*certificates.issue(f"{name}.aliquot-system.svc"), authority=authority)
                 for name, authority in (("aliquot-extender", certificates.authority), ("aliquot-admission", None))]
    certificate, key = certificates.issue("aliquot-scheduler")
    server = ObjectServer()
    server.objects = {
        f"GET {APPS}/namespaces/aliquot-system/deployments/aliquot-allocator": {"status": {"readyReplicas": 1}},
        f"GET {SYSTEM}/services/aliquot-extender": listeners[0].service("aliquot-extender"),
        f"GET {SYSTEM}/services/aliquot-admission": listeners[1].service("aliquot-admission"),
        f"GET {SYSTEM}/secrets/aliquot-scheduler-client": {
            "data": {"ca.crt": encoded(certificates.authority), "tls.crt": encoded(certificate), "tls.key": encoded(key)}},
        f"GET {SYSTEM}/pods": [{"metadata": {"labels": {"app.kubernetes.io/name": "aliquot-agent", "app.kubernetes.io/version": "1"}}}],
        f"GET {SYSTEM}/events": [], "GET /api/v1/pods": [],
        "GET /api/v1/nodes": [{"metadata": {"name": "n1", "annotations": {"aliquot.io/gpu-inventory": "{}"}},
                               "status": {"allocatable": {"tencent.com/vcuda-core": "100"},
                                          "runtimeHandlers": [{"name": ""}, {"name": "runc"}]}}],
        "GET /apis/node.k8s.io/v1/runtimeclasses": [],
        "GET /api/v1/namespaces/kube-system/pods": [{
            "metadata": {"namespace": "kube-system", "name": "kube-apiserver-cp"},
            "spec": {"containers": [{"name": "kube-apiserver"}]}}],
        f"GET {POLICIES}/mutatingwebhookconfigurations": [webhooks(certificates.authority)],
        f"GET {POLICIES}/validatingadmissionpolicies": [{"metadata": {"name": name}} for name in NAMES],
        f"GET {POLICIES}/validatingadmissionpolicybindings": [
            {"spec": {"policyName": name, "validationActions": ["Deny"]}} for name in NAMES],
        f"GET {APPS}/daemonsets": [{
            "metadata": {"name": "aliquot-agent", "namespace": "aliquot-system",
                         "labels": {"app.kubernetes.io/name": "aliquot-agent"}},
            "status": {"desiredNumberScheduled": 1, "numberReady": 1, "updatedNumberScheduled": 1}}],
        TRIED: {"metadata": {"labels": {"aliquot.io/gpu": "true"}}, "spec": {"schedulerName": "default-scheduler"}}}
    yield server
    server.close()
    for listener in listeners:
        listener.close()


def doctor(server, folder, *words):
    """Exit code and result by check, with what it says."""
    done = run("doctor", "--kubeconfig", server.kubeconfig(folder), "-o", "json", *words)
    page = json.loads(done.stdout)
    assert page["v"] == 1 and done.stderr == ""
    return done.returncode, {each["check"]: each for each in page["findings"]}


def test_where_all_is_well_it_ends_with_0(server, tmp_path):
    code, findings = doctor(server, tmp_path)
    assert code == 0
    results = {check: each["result"] for check, each in findings.items()}
    # Nothing shows whether a stock scheduler asks before the first pod, and no key is published here.
    assert {check for check, result in results.items() if result != "ok"} == {"scheduler-calls-us", "signatures"}, results


def test_the_reference_page_names_every_check_in_order(server, tmp_path):
    page = (ROOT / "docs/reference/doctor.md").read_text()
    table = page[page.index("| check |"):].split("\n\n", maxsplit=1)[0]
    named = [name for row in table.splitlines()[2:] for name in re.findall(r"`([\w-]+)`", row.split("|")[1])]
    _, findings = doctor(server, tmp_path)
    assert named == list(findings)


def test_the_only_request_that_is_not_a_read_is_a_dry_run(server, tmp_path):
    doctor(server, tmp_path)
    written = [(method, path, query) for method, path, query, _ in server.requests if method != "GET"]
    assert written == [("POST", "/api/v1/namespaces/default/pods", "dryRun=All")]
    doctor(server, tmp_path, "--try-in", "team")
    assert server.requests[-1][1] == "/api/v1/namespaces/team/pods"


def test_a_failed_check_ends_with_2_and_stands_first_with_its_remedy(server, tmp_path):
    server.objects[TRIED] = (500, 'failed calling webhook "mutate.admission.aliquot.io": connection refused')
    done = run("doctor", "--kubeconfig", server.kubeconfig(tmp_path))
    lines = done.stdout.splitlines()
    assert done.returncode == 2 and lines[0].split() == ["RESULT", "CHECK", "SAYS"]
    assert lines[1].startswith("failed   webhook-called") and lines[2].strip().startswith("-> see whether the allocator")


def test_a_server_whose_certificate_is_another_authoritys_fails(server, tmp_path):
    other = Certificates(tmp_path / "other")
    server.objects[f"GET {POLICIES}/mutatingwebhookconfigurations"] = [webhooks(other.authority)]
    code, findings = doctor(server, tmp_path)
    assert code == 2 and findings["admission-certificate"]["result"] == "failed"
    assert findings["extender-certificate"]["result"] == "ok"


def test_a_client_certificate_that_the_allocator_does_not_accept_fails(server, tmp_path):
    other = Certificates(tmp_path / "other")
    certificate, key = other.issue("aliquot-scheduler")
    secret = server.objects[f"GET {SYSTEM}/secrets/aliquot-scheduler-client"]["data"]
    secret.update({"tls.crt": encoded(certificate), "tls.key": encoded(key)})
    code, findings = doctor(server, tmp_path)
    assert code == 2 and findings["extender-certificate"]["result"] == "failed"
    assert "client certificate" in findings["extender-certificate"]["remedy"]


def test_pods_that_run_by_nvidias_runtime_are_looked_for_where_it_may_be(server, tmp_path):
    all_others = "labelSelector=aliquot.io%2Fgpu%21%3Dtrue"
    doctor(server, tmp_path)
    assert not [query for _, _, query, _ in server.requests if all_others in query]
    server.objects["GET /api/v1/nodes"][0]["status"]["runtimeHandlers"].append({"name": "nvidia"})
    server.objects["GET /apis/node.k8s.io/v1/runtimeclasses"] = [{"metadata": {"name": "nvidia"}, "handler": "nvidia"}]
    code, findings = doctor(server, tmp_path)
    assert code == 0 and findings["nvidia-runtime"]["result"] == "warning"
    assert [query for _, _, query, _ in server.requests if all_others in query]
    server.objects["GET /api/v1/pods"] = [{
        "metadata": {"namespace": "team", "name": "greedy", "labels": {"aliquot.io/gpu": "true"}},
        "spec": {"nodeName": "n1", "runtimeClassName": "nvidia", "containers": [{"name": "main"}]}}]
    code, findings = doctor(server, tmp_path)
    assert code == 2 and "team/greedy" in findings["nvidia-runtime"]["says"]


def test_without_a_right_to_the_secret_the_extender_is_still_held_to_its_authority(server, tmp_path):
    key = f"GET {SYSTEM}/secrets/aliquot-scheduler-client"
    server.objects[key] = (403, 'User "u" cannot get resource "secrets"')
    code, findings = doctor(server, tmp_path)
    assert code == 0 and findings["scheduler-certificate"]["result"] == "unknown"
    assert findings["extender-certificate"]["result"] == "ok"
    other = Certificates(tmp_path / "other")
    server.objects[f"GET {POLICIES}/mutatingwebhookconfigurations"] = [webhooks(other.authority)]
    _, findings = doctor(server, tmp_path)
    assert findings["extender-certificate"]["result"] == "failed"


def test_a_service_that_is_out_of_reach_is_unknown_and_no_failure(server, tmp_path):
    server.objects[f"GET {SYSTEM}/services/aliquot-extender"]["spec"]["ports"][0]["port"] = 1
    code, findings = doctor(server, tmp_path)
    assert code == 0 and findings["extender-certificate"]["result"] == "unknown"


def test_missing_rights_are_said_check_by_check(server, tmp_path):
    for key in list(server.objects):
        verb = "create" if key.startswith("POST") else "list"
        server.objects[key] = (403, f'User "u" cannot {verb if not key.count("/") > 6 else "get"} resource')
    code, findings = doctor(server, tmp_path)
    assert code == 0 and findings["policies"]["result"] == "unknown"
    assert "right to list validatingadmissionpolicies" in findings["policies"]["says"]


def test_a_server_that_is_away_or_refuses_the_credentials_is_one_sentence(server, tmp_path):
    kubeconfig = server.kubeconfig(tmp_path)
    server.objects = {f"GET {APPS}/namespaces/aliquot-system/deployments/aliquot-allocator": (401, "Unauthorized")}
    done = run("doctor", "--kubeconfig", kubeconfig)
    assert done.returncode == 1 and done.stdout == "" and "does not accept the credentials" in done.stderr
    away = tmp_path / "away"
    away.write_text(kubeconfig.read_text().replace("127.0.0.1:", "127.0.0.1:1#").split("#", maxsplit=1)[0] + '"}}],'
                    '"users":[],"contexts":[{"name":"c","context":{"cluster":"k"}}]}')
    done = run("doctor", "--kubeconfig", away)
    assert done.returncode == 1 and done.stdout == "" and done.stderr.count("\n") == 1


def test_outside_a_pod_in_cluster_is_one_sentence():
    done = run("doctor", "--in-cluster")
    assert done.returncode == 1 and done.stderr.count("\n") == 1
