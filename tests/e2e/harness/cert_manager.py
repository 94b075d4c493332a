# SPDX-License-Identifier: Apache-2.0
"""The real cert-manager on an InstallCluster: controller, cainjector and webhook as programs beside the
control plane, with cert-manager's own resource definitions.

    manager = CertManager(cluster).start()
    manager.renew("aliquot-system", "aliquot-extender")      as `cmctl renew` does
"""
import datetime

from . import binaries
from .api import ApiError
from .box import BoxProcess
from .waiting import until

_NAMESPACE = "cert-manager"
_CA_SECRET = "cert-manager-webhook-ca"
_PORT, _HEALTH_PORT = 10270, 10271
_REGISTRATIONS = "/apis/admissionregistration.k8s.io/v1"
_WEBHOOKS = {
    "ValidatingWebhookConfiguration": ("validate", [{
        "apiGroups": ["cert-manager.io", "acme.cert-manager.io"], "apiVersions": ["v1"],
        "operations": ["CREATE", "UPDATE"], "resources": ["*/*"]}]),
    "MutatingWebhookConfiguration": ("mutate", [{
        "apiGroups": ["cert-manager.io"], "apiVersions": ["v1"], "operations": ["CREATE"],
        "resources": ["certificaterequests"]}])}


def certificates_path(namespace, name=""):
    """The API path of a namespace's Certificates, or of one."""
    path = f"/apis/cert-manager.io/v1/namespaces/{namespace}/certificates"
    return f"{path}/{name}" if name else path


class CertManager:
    """cert-manager in the box of a cluster's control plane. It acts as an administrator: what its own
    chart lets it do is not ours."""

    def __init__(self, cluster):
        self._cluster, self._api = cluster, cluster.api
        cluster.plane.add_user("cert-manager", "cert-manager", "system:masters")
        self.controller = self._program("controller")
        self.cainjector = self._program("cainjector")
        self.webhook = self._program(
            "webhook", f"--secure-port={_PORT}", f"--healthz-port={_HEALTH_PORT}",
            "--metrics-listen-address=0", "--dynamic-serving-dns-names=localhost",
            f"--dynamic-serving-ca-secret-namespace={_NAMESPACE}",
            f"--dynamic-serving-ca-secret-name={_CA_SECRET}")

    def _program(self, name, *flags):
        kubeconfig = self._cluster.plane.kubeconfig("cert-manager")
        return BoxProcess(self._cluster.box, f"cert-manager-{name}", [
            binaries.program("cert-manager"), name, f"--kubeconfig={kubeconfig}", *flags])

    def install(self):
        """Makes cert-manager's objects; starts nothing."""
        self._cluster.kubectl("create", "namespace", _NAMESPACE)
        self._cluster.kubectl("apply", "--server-side",
                              f"--filename={binaries.folder('cert-manager') / 'crds'}")
        for kind, (path, rules) in _WEBHOOKS.items():
            self._api.post(f"{_REGISTRATIONS}/{kind.lower()}s", {
                "apiVersion": "admissionregistration.k8s.io/v1", "kind": kind, "metadata": {
                    "name": "cert-manager-webhook", "annotations": {
                        "cert-manager.io/inject-ca-from-secret": f"{_NAMESPACE}/{_CA_SECRET}"}},
                "webhooks": [{
                    "name": "webhook.cert-manager.io", "rules": rules, "failurePolicy": "Fail",
                    "sideEffects": "None", "admissionReviewVersions": ["v1"],
                    "clientConfig": {"url": f"https://localhost:{_PORT}/{path}"}}]})
        return self

    def start(self):
        """Installs it, starts all and returns when it takes objects."""
        self.install()
        for each in (self.controller, self.cainjector, self.webhook):
            each.start()
        until("cert-manager to take objects", self._ready, timeout=30)
        return self

    def _ready(self):
        try:
            self._api.post("/apis/cert-manager.io/v1/namespaces/default/issuers", {
                "apiVersion": "cert-manager.io/v1", "kind": "Issuer", "metadata": {"name": "asks"},
                "spec": {"selfSigned": {}}}, dryRun="All")
        except ApiError as error:
            raise AssertionError(str(error)) from error
        return True

    def certificate(self, namespace, name):
        """A Certificate as it is now."""
        return self._api.get(certificates_path(namespace, name))

    def names(self, namespace):
        """The names of a namespace's Certificates."""
        return sorted(each["metadata"]["name"]
                      for each in self._api.get(certificates_path(namespace))["items"])

    def renew(self, namespace, name):
        """Has a Certificate issued anew and returns when it is."""
        found = self.certificate(namespace, name)
        before = found["status"]["revision"]
        others = [each for each in found["status"]["conditions"] if each["type"] != "Issuing"]
        now = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
        found["status"]["conditions"] = others + [{
            "type": "Issuing", "status": "True", "reason": "ManuallyTriggered",
            "message": "asked for by a test", "lastTransitionTime": now,
            "observedGeneration": found["metadata"]["generation"]}]
        self._api.put(f"{certificates_path(namespace, name)}/status", found)
        until(f"{name} to be issued anew",
              lambda: self.certificate(namespace, name)["status"]["revision"] > before, timeout=30)
