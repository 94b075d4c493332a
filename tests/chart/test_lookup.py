# SPDX-License-Identifier: Apache-2.0
"""What the chart refuses, and says, because of what it finds in the cluster.

The real helm asks a small API server of given objects: `helm template --dry-run=server` looks them up as an installation does.
"""
import contextlib
import http.server
import json
import threading

import pytest

from rendering import CHART, NAMESPACE

# The kinds that the chart looks up, by the path of their collection.
COLLECTIONS = {
    "/api/v1": (("Namespace", "namespaces", False), ("Secret", "secrets", True)),
    "/apis/rbac.authorization.k8s.io/v1": (("ClusterRole", "clusterroles", False),),
    "/apis/apps/v1": (("DaemonSet", "daemonsets", True),),
    "/apis/admissionregistration.k8s.io/v1": (("MutatingWebhookConfiguration", "mutatingwebhookconfigurations", False),)}


def _version(base):
    """The group version of a path."""
    return base.removeprefix("/apis/").removeprefix("/api/")


def _discovery(base):
    """The answer about one group version."""
    return {"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": _version(base), "resources": [
        {"name": plural, "singularName": "", "namespaced": namespaced, "kind": kind, "verbs": ["get", "list"]}
        for kind, plural, namespaced in COLLECTIONS[base]]}


def _list(path, objects):
    """The answer for a whole collection."""
    for base, kinds in COLLECTIONS.items():
        for kind, plural, _ in kinds:
            if path == f"{base}/{plural}":
                return {"kind": f"{kind}List", "apiVersion": _version(base), "metadata": {},
                        "items": [each for at, each in objects.items() if at.startswith(path + "/")]}
    return None


@contextlib.contextmanager
def api_server(objects):
    """The address of an API server that has these objects, by path."""
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            path = self.path.split("?")[0]
            answer = _discovery(path) if path in COLLECTIONS else objects.get(path) or _list(path, objects)
            body = json.dumps(answer or {"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "NotFound",
                                         "message": f"{path} not found", "code": 404}).encode()
            self.send_response(200 if answer else 404)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def role(release, namespace):
    """The allocator's ClusterRole of an installation."""
    return {"/apis/rbac.authorization.k8s.io/v1/clusterroles/aliquot-allocator": {
        "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "rules": [], "metadata": {
            "name": "aliquot-allocator", "annotations": {
                "meta.helm.sh/release-name": release, "meta.helm.sh/release-namespace": namespace}}}}


def namespace_enforcing(level):
    """Our namespace with a label of Pod Security."""
    return {f"/api/v1/namespaces/{NAMESPACE}": {"apiVersion": "v1", "kind": "Namespace", "metadata": {
        "name": NAMESPACE, "labels": {"pod-security.kubernetes.io/enforce": level}}}}


def outcome(helm, tmp_path, objects, *settings):
    """Exit status and what helm says on a cluster of these objects."""
    with api_server(objects) as address:
        kubeconfig = tmp_path / "kubeconfig"
        kubeconfig.write_text(json.dumps({
            "apiVersion": "v1", "kind": "Config", "current-context": "c",
            "clusters": [{"name": "c", "cluster": {"server": address}}], "users": [{"name": "u", "user": {}}],
            "contexts": [{"name": "c", "context": {"cluster": "c", "user": "u"}}]}))
        status, text, error = helm.run("template", "aliquot", str(CHART), f"--namespace={NAMESPACE}", "--dry-run=server",
                                       f"--kubeconfig={kubeconfig}", *(f"--set={each}" for each in settings))
    return status, error if status else text


@pytest.mark.parametrize("release, namespace", [("other", NAMESPACE), ("aliquot", "gpu"), ("", "")])
def test_a_second_installation_is_refused_and_told_of_the_first(helm, tmp_path, release, namespace):
    status, said = outcome(helm, tmp_path, role(release, namespace))
    assert status != 0
    assert f'Aliquot is installed in this cluster already, as release "{release}" in namespace "{namespace}"' in said
    assert "upgrade that one, or uninstall it first" in said


def test_our_own_installation_is_no_second_one(helm, tmp_path):
    status, said = outcome(helm, tmp_path, role("aliquot", NAMESPACE))
    assert status == 0, said


@pytest.mark.parametrize("level", ["baseline", "restricted"])
def test_a_namespace_whose_pod_security_refuses_the_agent_is_refused_with_the_command(helm, tmp_path, level):
    status, said = outcome(helm, tmp_path, namespace_enforcing(level))
    assert status != 0 and f'namespace "{NAMESPACE}" enforces pod security "{level}"' in said
    assert f"kubectl label namespace {NAMESPACE} pod-security.kubernetes.io/enforce=privileged --overwrite" in said


@pytest.mark.parametrize("level, setting", [("privileged", "agent.enabled=true"), ("restricted", "agent.enabled=false")])
def test_a_namespace_that_takes_all_our_pods_is_not_refused(helm, tmp_path, level, setting):
    status, said = outcome(helm, tmp_path, namespace_enforcing(level), setting)
    assert status == 0, said


def client_secret(**annotations):
    """kube-scheduler's client certificate, with annotations."""
    return {f"/api/v1/namespaces/{NAMESPACE}/secrets/aliquot-scheduler-client": {"apiVersion": "v1", "kind": "Secret", "metadata": {
        "name": "aliquot-scheduler-client", "namespace": NAMESPACE, "annotations": annotations}}}


def test_what_cert_manager_keeps_is_in_the_way_of_what_we_make_and_the_command_is_told(helm, tmp_path):
    secret = client_secret(**{"cert-manager.io/certificate-name": "aliquot-scheduler-client"})
    status, said = outcome(helm, tmp_path, secret)
    assert status != 0 and f"Secret aliquot-scheduler-client in namespace {NAMESPACE} is cert-manager's" in said
    assert f"kubectl -n {NAMESPACE} delete certificates.cert-manager.io,secrets aliquot-scheduler-client" in said
    assert outcome(helm, tmp_path, client_secret())[0] == 0
