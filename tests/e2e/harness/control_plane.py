# SPDX-License-Identifier: Apache-2.0
"""etcd, kube-apiserver and kube-controller-manager of one Kubernetes minor, on the loopback."""
import json
import pathlib

from . import binaries, kubeconfig
from .api import Api
from .certificates import Authority
from .egress import Egress
from .processes import Process, free_port

# What the tests ask the audit log about: all that our service account does, and what people and
# schedulers do to pods. Bodies are not recorded.
_AUDIT_POLICY = {
    "apiVersion": "audit.k8s.io/v1", "kind": "Policy", "omitStages": ["RequestReceived"],
    "rules": [
        {"level": "Metadata", "userGroups": ["system:serviceaccounts:aliquot-system"]},
        {"level": "None", "userGroups": ["system:serviceaccounts"]},
        {"level": "None", "users": ["system:apiserver", "system:kube-controller-manager"]},
        {"level": "Metadata", "resources": [
            {"group": "", "resources": ["pods", "pods/binding", "pods/status", "bindings"]}]},
        {"level": "None"},
    ],
}

# The controllers that the suite needs. Node lifecycle is left out: fake nodes send no heartbeat.
_CONTROLLERS = ("serviceaccount-controller", "root-ca-certificate-publisher-controller",
                "namespace-controller", "job-controller", "deployment-controller",
                "replicaset-controller", "garbage-collector-controller",
                "pod-garbage-collector-controller", "clusterrole-aggregation-controller")


class ControlPlane:
    """One control plane in its own folder; `api` talks to it as a cluster administrator."""

    def __init__(self, folder, minor):
        self.folder = pathlib.Path(folder)
        self.minor = minor
        self.folder.mkdir(parents=True, exist_ok=True)
        self.authority = Authority(self.folder / "certificates")
        self.port = free_port()
        self.server = f"https://127.0.0.1:{self.port}"
        self.audit_log = self.folder / "audit.log"
        self._clients = {}
        self.egress = Egress(self.folder)
        self._issue_certificates()
        self.api = self.client("admin")
        self.etcd = self._etcd()
        self.apiserver = self._apiserver()
        self.controllers = self._controller_manager()

    def _issue_certificates(self):
        issue = self.authority.issue
        self._serving = issue("apiserver", "kube-apiserver", hosts=(
            "localhost", "kubernetes", "kubernetes.default", "kubernetes.default.svc",
            "127.0.0.1", "10.0.0.1"))
        self.add_user("admin", "admin", "system:masters")
        self.add_user("scheduler", "system:kube-scheduler")
        self.add_user("controllers", "system:kube-controller-manager")
        self._signing_key, self._signing_public = self.authority.signing_key_pair("accounts")

    def add_user(self, name, common_name, organization=None):
        """Makes a client certificate; `client(name)` and `kubeconfig(name)` then use it."""
        self._clients[name] = self.authority.issue(f"client-{name}", common_name, organization)

    def client(self, name):
        """An API client that acts as the named user."""
        return Api(f"127.0.0.1:{self.port}", self.authority.certificate, self._clients[name])

    def client_with_token(self, token):
        """An API client that acts as the owner of a token."""
        return Api(f"127.0.0.1:{self.port}", self.authority.certificate, token=token)

    def client_certificate(self, name):
        """The paths of a user's certificate and key."""
        return self._clients[name]

    def kubeconfig(self, name):
        """A kubeconfig file of the named user."""
        return kubeconfig.write(self.folder / f"{name}.kubeconfig", self.server,
                                self.authority.certificate, self._clients[name])

    def _etcd(self):
        self._etcd_client = f"http://127.0.0.1:{free_port()}"
        peer = f"http://127.0.0.1:{free_port()}"
        return Process("etcd", [
            binaries.program("etcd"), "--name=default", f"--data-dir={self.folder}/etcd",
            "--unsafe-no-fsync", "--log-level=warn",
            f"--listen-client-urls={self._etcd_client}",
            f"--advertise-client-urls={self._etcd_client}",
            f"--listen-peer-urls={peer}", f"--initial-advertise-peer-urls={peer}",
            f"--initial-cluster=default={peer}"], self.folder)

    def _apiserver(self):
        policy = self.folder / "audit-policy.json"
        policy.write_text(json.dumps(_AUDIT_POLICY))
        return Process("kube-apiserver", [
            binaries.program("kube-apiserver", self.minor), f"--etcd-servers={self._etcd_client}",
            f"--secure-port={self.port}", "--bind-address=127.0.0.1",
            "--advertise-address=127.0.0.1", "--endpoint-reconciler-type=none",
            f"--tls-cert-file={self._serving[0]}", f"--tls-private-key-file={self._serving[1]}",
            f"--client-ca-file={self.authority.certificate}",
            "--authorization-mode=Node,RBAC", "--enable-admission-plugins=NodeRestriction",
            "--service-account-issuer=https://kubernetes.default.svc",
            f"--service-account-key-file={self._signing_public}",
            f"--service-account-signing-key-file={self._signing_key}",
            "--service-cluster-ip-range=10.0.0.0/24", "--allow-privileged=true",
            # No kubelet and no node lifecycle controller would ever take the not-ready taint away.
            "--disable-admission-plugins=TaintNodesByCondition",
            f"--egress-selector-config-file={self.egress.configuration}",
            f"--audit-policy-file={policy}", f"--audit-log-path={self.audit_log}",
            "--profiling=false"], self.folder)

    def _controller_manager(self):
        return Process("kube-controller-manager", [
            binaries.program("kube-controller-manager"),
            f"--kubeconfig={self.kubeconfig('controllers')}", "--bind-address=127.0.0.1",
            "--secure-port=0", "--leader-elect=false", "--use-service-account-credentials=true",
            f"--service-account-private-key-file={self._signing_key}",
            f"--root-ca-file={self.authority.certificate}",
            f"--controllers={','.join(_CONTROLLERS)}"], self.folder)

    def start(self):
        """Starts everything and returns when the API server is ready."""
        self.etcd.start()
        self.start_apiserver()
        self.controllers.start()
        return self

    def start_apiserver(self):
        """Starts the API server alone, for instance after it was killed."""
        self.apiserver.start()
        self.apiserver.wait_until("ready", self.api.reachable, timeout=60)

    def processes(self):
        """All programs, in the order of their start."""
        return [self.etcd, self.apiserver, self.controllers]

    def stop(self):
        """Ends everything at once: the data is thrown away, so a clean end would gain nothing."""
        for process in reversed(self.processes()):
            process.kill()
        self.egress.close()
