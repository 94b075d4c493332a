# SPDX-License-Identifier: Apache-2.0
"""An API server of given objects, and certificates made by openssl."""
import base64
import http.server
import json
import subprocess
import threading
import urllib.parse


class ObjectServer:
    """Answers what `objects` holds under a path: an object, a list of items, or (status, message). Else 404."""

    def __init__(self):
        self.objects = {}
        self.requests = []
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            """Looks the path up."""

            def _answer(self):
                url = urllib.parse.urlparse(self.path)
                body = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
                outer.requests.append((self.command, url.path, url.query, body))
                status, answer = outer.look(f"{self.command} {url.path}")
                text = json.dumps(answer).encode()
                self.send_response(status)
                self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)

            do_GET = do_POST = _answer  # the base class's names

            def log_message(self, *_):  # pylint: disable=arguments-differ
                pass
        self._listener = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._listener.serve_forever, args=(0.02,))
        self._thread.start()

    def look(self, key):
        """Status and object."""
        found = self.objects.get(key, (404, "not found"))
        if isinstance(found, tuple):
            status, message = found
            return status, {"kind": "Status", "message": message, "code": status}
        if isinstance(found, list):
            return 200, {"kind": "List", "metadata": {}, "items": found}
        return 201 if key.startswith("POST") else 200, found

    def kubeconfig(self, folder):
        """Its path."""
        path = folder / "kubeconfig"
        path.write_text(json.dumps({
            "apiVersion": "v1", "kind": "Config", "current-context": "c",
            "clusters": [{"name": "k", "cluster": {"server": f"http://127.0.0.1:{self._listener.server_port}"}}],
            "users": [{"name": "u", "user": {}}],
            "contexts": [{"name": "c", "context": {"cluster": "k", "user": "u"}}]}))
        return path

    def close(self):
        """Ends it."""
        self._listener.shutdown()
        self._thread.join()
        self._listener.server_close()


def _openssl(*words):
    subprocess.run(["openssl", *map(str, words)], check=True, capture_output=True)


class Certificates:
    """An authority of its own, and what it certifies."""

    def __init__(self, folder):
        self.folder = folder
        folder.mkdir()
        self.authority = folder / "ca.crt"
        self._key(folder / "ca.key", "-x509", "-out", self.authority, "-subj", "/CN=authority", "-days", "3650")

    @staticmethod
    def _key(path, *words):
        _openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", path, *words)

    def issue(self, name, days=365):
        """Paths of certificate and key for this host name."""
        request, certificate, key = (self.folder / f"{name}.{end}" for end in ("csr", "crt", "key"))
        extensions = self.folder / "extensions"
        extensions.write_text(f"subjectAltName=DNS:{name}\n")
        self._key(key, "-out", request, "-subj", "/CN=x")
        _openssl("x509", "-req", "-in", request, "-CA", self.authority, "-CAkey", self.folder / "ca.key",
                 "-CAcreateserial", "-days", days, "-extfile", extensions, "-out", certificate)
        return certificate, key


def encoded(path):
    """A file as a Secret holds it."""
    return base64.b64encode(path.read_bytes()).decode()
