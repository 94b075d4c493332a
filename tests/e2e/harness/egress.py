# SPDX-License-Identifier: Apache-2.0
"""The API server's way to pods in boxes, which have networks of their own: for pods/proxy it asks an
HTTP CONNECT proxy on a Unix socket, as EgressSelectorConfiguration lets it, and the test run is that
proxy. All boxes have one address, so the port tells which is meant:

    egress.serve(18443, box)     connections to any address and that port reach the box's node address
"""
import itertools
import json
import pathlib
import socket
import threading

from .box import NODE_ADDRESS

_PORTS = itertools.count(18443)


def free_port():
    """A port that no other box of this run listens on."""
    return next(_PORTS)


class Egress:
    """The proxy of one API server; `configuration` is the file for its flag."""

    def __init__(self, folder):
        path = pathlib.Path(folder) / "egress.sock"
        self._boxes = {}
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(path))
        self._listener.listen()
        self.configuration = pathlib.Path(folder) / "egress.json"
        self.configuration.write_text(json.dumps({
            "apiVersion": "apiserver.k8s.io/v1beta1", "kind": "EgressSelectorConfiguration",
            "egressSelections": [{"name": "cluster", "connection": {
                "proxyProtocol": "HTTPConnect",
                "transport": {"uds": {"udsName": str(path)}}}}]}))
        threading.Thread(target=self._accept, daemon=True).start()

    def serve(self, port, box):
        """From now on connections to this port go to this box."""
        self._boxes[port] = box

    def close(self):
        """Stops listening."""
        try:
            self._listener.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        self._listener.close()

    def _accept(self):
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._answer, args=(client,), daemon=True).start()

    def _answer(self, client):
        with client:
            try:
                head = b""
                while not head.endswith(b"\r\n\r\n"):
                    received = client.recv(1)  # not a byte of what follows
                    if not received:
                        return
                    head += received
                port = int(head.split()[1].rsplit(b":", 1)[1])
                with self._boxes[port].connect(port, host=NODE_ADDRESS) as server:
                    client.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
                    back = threading.Thread(target=_pass, args=(server, client), daemon=True)
                    back.start()
                    _pass(client, server)
                    back.join()
            except (OSError, KeyError, ValueError, IndexError):
                try:
                    client.sendall(b"HTTP/1.1 502 Bad Gateway\r\n\r\n")
                except OSError:
                    pass


def _pass(source, sink):
    """Passes bytes on until the source has no more."""
    try:
        while data := source.recv(1 << 16):
            sink.sendall(data)
        sink.shutdown(socket.SHUT_WR)
    except OSError:
        for each in (source, sink):
            try:
                each.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
