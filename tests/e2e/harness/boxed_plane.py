# SPDX-License-Identifier: Apache-2.0
"""A control plane inside a box: etcd, API server, controller manager and the cluster's scheduler.

It differs from ControlPlane in what a chart needs and single programs do not: pods have a network,
the API server is reached from it as the Service `kubernetes`, and it calls webhooks by their
Service. Its addresses are those of the box; `api` leads into it.
"""
import json
import pathlib

from . import binaries, kubeconfig
from .addresses import IPV4, in_url
from .api import Api
from .box import BoxProcess
from .certificates import Authority

PORT = 6443


class _BoxApi(Api):
    """The same client; its connections begin in the box."""

    def __init__(self, box, *arguments, **options):
        super().__init__(f"{box.address}:{PORT}", *arguments, **options)
        self._box = box

    def _connect(self, timeout):
        connection = self._make(timeout)
        plain = self._box.connect(self._port, timeout, self._host)
        connection.sock = self._context.wrap_socket(plain, server_hostname=self._host)
        return connection


# pylint: disable=too-many-instance-attributes
class BoxedPlane:
    """One control plane in a box that runs; `api` acts as a cluster administrator."""

    def __init__(self, box, folder, minor, addresses=IPV4):
        self.box, self.minor, self.addresses = box, minor, addresses
        self.folder = pathlib.Path(folder)
        self.server = f"https://{in_url(box.address)}:{PORT}"
        self.authority = Authority(self.folder / "certificates")
        self.audit_log = self.folder / "audit.log"
        self._clients = {}
        self._serving = self.authority.issue("apiserver", "kube-apiserver", hosts=(
            "localhost", "kubernetes", "kubernetes.default", "kubernetes.default.svc",
            "kubernetes.default.svc.cluster.local", "127.0.0.1", addresses.api_service, box.address))
        for name, common_name, organization in (
                ("admin", "admin", "system:masters"),
                ("scheduler", "system:kube-scheduler", None), ("proxy", "system:kube-proxy", None),
                ("controllers", "system:kube-controller-manager", None)):
            self.add_user(name, common_name, organization)
        self._signing_key, self._signing_public = self.authority.signing_key_pair("accounts")
        self.api = self.client("admin")
        self.etcd = self._process("etcd", binaries.program("etcd"), {
            "name": "default", "data-dir": self.folder / "etcd", "unsafe-no-fsync": "true",
            "log-level": "warn"})
        self.apiserver = self._apiserver()
        self.controllers = self._process(
            "kube-controller-manager", binaries.program("kube-controller-manager"), {
                "kubeconfig": self.kubeconfig("controllers"), "bind-address": "127.0.0.1",
                "secure-port": "0", "leader-elect": "false",
                "use-service-account-credentials": "true",
                "service-account-private-key-file": self._signing_key,
                "root-ca-file": self.authority.certificate})

        self._scheduler_file = self.folder / "kube-scheduler.yaml"
        self.scheduler = self._process(
            "kube-scheduler", binaries.program("kube-scheduler", minor), {
                "config": self._scheduler_file, "bind-address": "127.0.0.1",
                "authentication-kubeconfig": self.kubeconfig("scheduler"),
                "authorization-kubeconfig": self.kubeconfig("scheduler")})
        self.configure_scheduler("")

    def configure_scheduler(self, more):
        """Sets what the cluster's scheduler reads at its next start: YAML besides the usual keys."""
        self._scheduler_file.write_text(
            "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
            f"clientConnection: {{kubeconfig: {self.kubeconfig('scheduler')}}}\n"
            f"leaderElection: {{leaderElect: false}}\n{more}")

    def _process(self, name, program, flags):
        return BoxProcess(self.box, name,
                          [program] + [f"--{flag}={value}" for flag, value in flags.items()])

    def _apiserver(self):
        policy = self.folder / "audit-policy.json"
        policy.write_text(json.dumps({
            "apiVersion": "audit.k8s.io/v1", "kind": "Policy", "omitStages": ["RequestReceived"],
            "rules": [{"level": "Metadata", "userGroups": ["system:serviceaccounts:aliquot-system"]},
                      {"level": "None"}]}))
        kubelet = self.authority.issue("client-apiserver", "apiserver", "system:masters")
        return self._process("kube-apiserver", binaries.program("kube-apiserver", self.minor), {
            "etcd-servers": "http://127.0.0.1:2379", "secure-port": PORT,
            "bind-address": self.addresses.every, "advertise-address": self.box.address,
            "tls-cert-file": self._serving[0], "tls-private-key-file": self._serving[1],
            "client-ca-file": self.authority.certificate,
            "requestheader-client-ca-file": self.authority.certificate,
            "requestheader-allowed-names": "front-proxy", "authorization-mode": "Node,RBAC",
            "enable-admission-plugins": "NodeRestriction",
            "service-account-issuer": "https://kubernetes.default.svc",
            "service-account-key-file": self._signing_public,
            "service-account-signing-key-file": self._signing_key,
            "service-cluster-ip-range": self.addresses.services, "allow-privileged": "true",
            "kubelet-client-certificate": kubelet[0], "kubelet-client-key": kubelet[1],
            "kubelet-certificate-authority": self.authority.certificate,
            "kubelet-preferred-address-types": "InternalIP",
            "audit-policy-file": policy, "audit-log-path": self.audit_log, "profiling": "false"})

    def add_user(self, name, common_name, organization=None):
        """Makes a client certificate; `client(name)` and `kubeconfig(name)` then use it."""
        self._clients[name] = self.authority.issue(f"client-{name}", common_name, organization)

    def client(self, name):
        """An API client that acts as the named user."""
        return _BoxApi(self.box, self.authority.certificate, self._clients[name])

    def client_with_token(self, token):
        """An API client that acts as the owner of a token."""
        return _BoxApi(self.box, self.authority.certificate, token=token)

    def client_certificate(self, name):
        """The paths of a user's certificate and key."""
        return self._clients[name]

    def kubeconfig(self, name):
        """A kubeconfig file of the named user, for programs in the box."""
        return kubeconfig.write(self.folder / f"{name}.kubeconfig", self.server,
                                self.authority.certificate, self._clients[name])

    def start(self):
        """Starts everything and returns when the API server is ready."""
        self.etcd.start()
        self.apiserver.start()
        self.apiserver.wait_until("ready", self.api.reachable, timeout=60)
        self.controllers.start()
        self.scheduler.start()
        return self

    def processes(self):
        """All programs."""
        return [self.etcd, self.apiserver, self.controllers, self.scheduler]
