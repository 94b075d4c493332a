# SPDX-License-Identifier: Apache-2.0
"""The fake cluster behind TLS, with what clients showed of themselves, and proxies on the way to it."""
import contextlib
import http.server
import json
import pathlib
import socket
import socketserver
import ssl
import threading
import urllib.parse

from object_server import Certificates


class TlsCluster:
    """An API server of a fake cluster at https://HOST:port; `tokens`: those it accepts, None for all callers."""

    def __init__(self, cluster, folder, host="localhost", tokens=None):
        self.certificates = Certificates(pathlib.Path(folder))
        self.tokens = tokens
        self.headers = []   # of each request
        self.subjects = []  # common names of client certificates, None without
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            """One request a connection."""

            def do_GET(self):  # pylint: disable=invalid-name  # the base class's name
                url = urllib.parse.urlparse(self.path)
                outer.headers.append(self.headers)
                subject = dict(pair for part in (self.connection.getpeercert() or {}).get("subject", ()) for pair in part)
                outer.subjects.append(subject.get("commonName"))
                known = outer.tokens is None or self.headers.get("Authorization") in {f"Bearer {t}" for t in outer.tokens}
                status, body = cluster.answer(url.path, urllib.parse.parse_qs(url.query)) if known else (401, {})
                text = json.dumps(body).encode()
                self.send_response(status)
                self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)

            def log_message(self, *_):  # pylint: disable=arguments-differ
                pass
        self._listener = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*self.certificates.issue(host))
        context.load_verify_locations(self.certificates.authority)
        context.verify_mode = ssl.CERT_OPTIONAL
        self._listener.socket = context.wrap_socket(self._listener.socket, server_side=True)
        self._thread = threading.Thread(target=self._listener.serve_forever, args=(0.02,))
        self._thread.start()
        self.port = self._listener.server_port
        self.url = f"https://{host}:{self.port}"

    def bearers(self):
        """Authorization of each request."""
        return [headers.get("Authorization") for headers in self.headers]

    def close(self):
        """Ends it."""
        self._listener.shutdown()
        self._thread.join()
        self._listener.server_close()


def _pump(source, sink):
    with contextlib.suppress(OSError):
        while piece := source.recv(65536):
            sink.sendall(piece)
    with contextlib.suppress(OSError):
        sink.shutdown(socket.SHUT_WR)


class _Relay(socketserver.StreamRequestHandler):
    """Answers one client's greeting and connects it to the cluster, whatever name it asked for."""

    def handle(self):
        with socket.create_connection(("127.0.0.1", self.server.target)) as there:
            self.greet()
            back = threading.Thread(target=_pump, args=(there, self.connection))
            back.start()
            _pump(self.connection, there)
            back.join()


class HttpRelay(_Relay):
    """CONNECT of RFC 9110."""

    def greet(self):
        """Keeps the head of the request."""
        head = b""
        while not head.endswith(b"\r\n\r\n"):
            head += self.connection.recv(1)
        self.server.heard.append(head.decode())
        self.connection.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n")


class SocksRelay(_Relay):
    """SOCKS 5 of RFC 1928, with names."""

    def greet(self):
        """Keeps the name and port asked for."""
        self.connection.recv(self.connection.recv(2)[1])
        self.connection.sendall(b"\x05\x00")
        assert self.connection.recv(4) == b"\x05\x01\x00\x03", "a name is to be resolved here"
        name = self.connection.recv(self.connection.recv(1)[0]).decode()
        self.server.heard.append(f"{name}:{int.from_bytes(self.connection.recv(2), 'big')}")
        self.connection.sendall(b"\x05\x00\x00\x01\x00\x00\x00\x00\x00\x00")


@contextlib.contextmanager
def relaying(relay, target):
    """A proxy of this kind to a port; yields it, with `heard` and `server_address`."""
    class Server(socketserver.ThreadingTCPServer):
        """Serves while the block runs."""
        daemon_threads = True
    with Server(("127.0.0.1", 0), relay) as server:
        server.target, server.heard = target, []
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()
