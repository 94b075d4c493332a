# SPDX-License-Identifier: Apache-2.0
"""A proxy that passes bytes through unread and can lose, hold or refuse them on purpose."""
import socket
import threading

_APPLICATION_DATA = 23  # the TLS record type of everything after the handshake


class CuttingProxy:
    """Listens on the loopback and forwards each connection to `target`: (host, port) or the path
    of a Unix socket.

    From `lose_answers()` to `cut()`, a request that a client sends still reaches the server, but
    nothing that the server sends back on that connection reaches the client; `cut()` then ends
    those connections. So the server has done the work and the client never learns. Connections on
    which the client is silent, such as watches, go on.

    From `block()` to `unblock()` the server seems to be away: connections end, new ones at once.
    From `hold()` to `unblock()` it is slow: what it answers comes only then.
    `listener` is where to listen instead of a free port of the loopback.
    """

    def __init__(self, target, listener=None):
        self._target = target
        self._lock = threading.Lock()
        self._connections = set()
        self.losing = False
        self.blocked = False
        self.passing = threading.Event()
        self.passing.set()
        self._held = threading.Event()
        self._listener = listener or socket.create_server(("127.0.0.1", 0))
        if self._listener.family == socket.AF_INET:
            self.address = f"127.0.0.1:{self._listener.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def lose_answers(self):
        """From now on no answer comes through."""
        self.losing = True

    def cut(self):
        """Ends the connections whose answers were lost, and passes everything again."""
        self.losing = False
        with self._lock:
            for connection in self._connections:
                if connection.mute:
                    connection.close()

    def block(self):
        """Ends every connection, and from now on each new one at once."""
        with self._lock:
            self.blocked = True
            for connection in self._connections:
                connection.close()

    def hold(self):
        """From now on what the server sends waits."""
        self._held.clear()
        self.passing.clear()

    def holding(self):
        """True once something has been held since `hold()`."""
        return self._held.is_set()

    def wait_to_pass(self):
        """Returns when answers may pass."""
        if not self.passing.is_set():
            self._held.set()
            self.passing.wait()

    def unblock(self):
        """Passes everything again."""
        self.blocked = False
        self.passing.set()

    def close(self):
        """Stops listening and ends every connection."""
        try:
            self._listener.shutdown(socket.SHUT_RDWR)  # wakes the thread that accepts
        except OSError:
            pass
        self._listener.close()
        self.block()
        self.passing.set()

    def _connect(self):
        if isinstance(self._target, tuple):
            return socket.create_connection(self._target)
        server = socket.socket(socket.AF_UNIX)
        try:
            server.connect(str(self._target))
        except OSError:
            server.close()
            raise
        return server

    def _accept(self):
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            try:
                server = self._connect()
            except OSError:
                client.close()
                continue
            for one in (client, server):
                if one.family == socket.AF_INET:
                    one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            connection = _Connection(self, client, server)
            with self._lock:
                self._connections.add(connection)
                if self.blocked:
                    connection.close()
            threading.Thread(target=connection.to_server, daemon=True).start()
            threading.Thread(target=connection.to_client, daemon=True).start()


class _Connection:
    """One proxied connection; `mute` once its answers are thrown away."""

    def __init__(self, proxy, client, server):
        self._proxy, self._client, self._server = proxy, client, server
        self.mute = False

    def close(self):
        """Ends both sides at once."""
        for one in (self._client, self._server):
            try:
                one.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def to_server(self):
        """Passes on what the client sends."""
        try:
            while data := self._client.recv(65536):
                if self._proxy.losing and data[0] == _APPLICATION_DATA:
                    self.mute = True
                self._server.sendall(data)
        except OSError:
            pass
        self.close()

    def to_client(self):
        """Passes on what the server sends, unless the connection is mute."""
        try:
            while data := self._server.recv(65536):
                self._proxy.wait_to_pass()
                if not self.mute:
                    self._client.sendall(data)
        except OSError:
            pass
        self.close()
