# SPDX-License-Identifier: Apache-2.0
"""The real aliquot-allocator beside a control plane, running as its own service account."""
import http.client
import json
import re
import ssl
import urllib.parse

from . import kubeconfig
from .chart import NAMESPACE, ROOT
from .processes import Process

PROGRAM = ROOT / "out" / "bin" / "aliquot-allocator"
_LISTENERS = ("extender", "admission", "monitor")


class Allocator:
    """One allocator process. It keeps its three ports over restarts, as a Service would."""

    def __init__(self, plane, service_account, configuration, name="aliquot-allocator"):
        self.plane = plane
        self.service_account = service_account
        self.user = f"system:serviceaccount:{NAMESPACE}:{service_account}"
        self.folder = plane.folder / name
        self.folder.mkdir(exist_ok=True)
        self.addresses = dict.fromkeys(_LISTENERS, "127.0.0.1:0")
        self._pages = None
        self._name = name
        self._configuration = configuration
        # Records are signed, so that node agents can tell ours from forged ones.
        self.signing_keys = plane.authority.signing_key_pair(f"records-{name}", ed25519=True)
        self.public_key = self.signing_keys[1]
        self._serving = plane.authority.issue(name, name, hosts=(
            "127.0.0.1", "localhost", f"aliquot-extender.{NAMESPACE}.svc",
            f"aliquot-admission.{NAMESPACE}.svc"))
        self.process = None
        self.server = None  # where it was told the API server is

    def _write_configuration(self):
        """The chart's configuration, with the files that its Secrets would be mounted as."""
        certificate, key = (str(path) for path in self._serving)
        path = self.folder / "allocator.yaml"
        listen = {**self._configuration.get("listen", {}), "authenticated": "127.0.0.1:0"}
        path.write_text(json.dumps({**self._configuration, "listen": listen, "signing": {
            "keyFile": str(self.signing_keys[0])}, "tls": {
            **self._configuration.get("tls", {}), "certificateFile": certificate, "keyFile": key,
            "clientCAFile": str(self.plane.authority.certificate),
            "admissionCertificateFile": certificate, "admissionKeyFile": key}}))
        return path

    def _prepare(self, server):
        """Gets a token and describes the process; `server` overrides where the API server is."""
        answer = self.plane.api.post(
            f"/api/v1/namespaces/{NAMESPACE}/serviceaccounts/{self.service_account}/token",
            {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest",
             "spec": {"expirationSeconds": 3600}})
        token = self.folder / "token"
        token.write_text(answer["status"]["token"])
        token.chmod(0o600)
        self.server = server or self.plane.server
        config = kubeconfig.write(self.folder / "kubeconfig", self.server,
                                  self.plane.authority.certificate, token_file=token)
        arguments = [PROGRAM, f"--config={self._write_configuration()}", f"--kubeconfig={config}",
                     f"--addresses-file={self.folder / 'addresses.json'}"]
        arguments += [f"--{each}-listen={self.addresses[each]}" for each in _LISTENERS]
        self.process = Process(self._name, arguments, self.plane.folder)

    def start(self, server=None):
        """Starts it and returns when it is ready to serve."""
        addresses = self.folder / "addresses.json"
        addresses.unlink(missing_ok=True)
        self._prepare(server)
        self.process.start()
        self.process.wait_until("listening", addresses.exists, timeout=20)
        found = json.loads(addresses.read_text())
        self.addresses = {key: found[key] for key in _LISTENERS}
        self._pages = found["authenticated"]
        self.process.wait_until("ready", lambda: self._monitor("/readyz")[0] == 200, timeout=30)
        return self

    def client(self):
        """An API client with the allocator's own token: the one who may write our annotations."""
        return self.plane.client_with_token((self.folder / "token").read_text())

    def restart(self, server=None):
        """Ends it cleanly and starts it anew."""
        status = self.process.stop()
        assert status == 0, f"after SIGTERM the allocator ended with {status}"
        return self.start(server)

    def page(self, path, token=None):
        """Status and text of a page of the authenticated listener."""
        context = ssl.create_default_context(cafile=str(self.plane.authority.certificate))
        connection = http.client.HTTPSConnection(*self._pages.rsplit(":", 1), timeout=5, context=context)
        try:
            connection.request("GET", path, headers={"Authorization": f"Bearer {token}"} if token else {})
            response = connection.getresponse()
            return response.status, response.read().decode()
        finally:
            connection.close()

    def _monitor(self, path):
        host, port = self.addresses["monitor"].rsplit(":", 1)
        connection = http.client.HTTPConnection(host, int(port), timeout=5)
        try:
            connection.request("GET", path)
            response = connection.getresponse()
            return response.status, response.read().decode()
        except (OSError, http.client.HTTPException):
            return 0, ""
        finally:
            connection.close()

    def explain(self, namespace, pod):
        """What /explain says about a pod; None while the allocator does not know it."""
        query = urllib.parse.urlencode({"pod": f"{namespace}/{pod}"})
        status, text = self._monitor(f"/explain?{query}")
        if status == 404:
            return None
        assert status == 200, f"/explain answered {status}: {text}"
        return json.loads(text)

    def metric(self, name, **labels):
        """The sum of a metric's series that carry these labels."""
        status, text = self._monitor("/metrics")
        assert status == 200, f"/metrics answered {status}"
        total, found = 0.0, False
        for written, value in re.findall(rf"^{name}(?:\{{(.*?)\}})? (\S+)$", text, re.MULTILINE):
            series = dict(re.findall(r'(\w+)="(.*?)"', written))
            if all(series.get(key) == wanted for key, wanted in labels.items()):
                total, found = total + float(value), True
        assert found or f"# TYPE {name} " in text, f"there is no metric {name}"
        return total
