# SPDX-License-Identifier: Apache-2.0
"""A small client of the Kubernetes API: one keep-alive HTTPS connection, plain dictionaries."""
import http.client
import json
import socket
import ssl
import threading
import time
import urllib.parse

MERGE_PATCH = "application/merge-patch+json"
JSON_PATCH = "application/json-patch+json"
STRATEGIC_PATCH = "application/strategic-merge-patch+json"


class ApiError(Exception):
    """The API server refused: `code`, `reason` and `message` as in its Status object."""

    def __init__(self, code, body):
        try:
            status = json.loads(body)
        except ValueError:
            status = {"message": body.decode(errors="replace")}
        self.code = code
        self.reason = status.get("reason", "")
        self.message = status.get("message", "")
        super().__init__(f"HTTP {code}: {self.message}")


class Answer(dict):
    """The answer's object; `warnings` and `audit_id` come from its headers."""

    def __init__(self, body, headers):
        super().__init__(body)
        self.warnings = [line.split(" ", 2)[2].strip('"') for line in
                         headers.get_all("Warning") or []]
        self.audit_id = headers.get("Audit-Id")


class Api:
    """Talks to one API server with a client certificate or a token. Safe for several threads."""

    def __init__(self, address, authority, client_certificate=None, token=None):
        self._host, port = address.rsplit(":", 1)
        self._port = int(port)
        self._token = token
        self._context = ssl.create_default_context(cafile=str(authority))
        if client_certificate:
            self._context.load_cert_chain(*[str(path) for path in client_certificate])
        self._local = threading.local()

    def _make(self, timeout):
        return http.client.HTTPSConnection(self._host, self._port, timeout=timeout,
                                           context=self._context)

    def _connect(self, timeout):
        connection = self._make(timeout)
        connection.connect()
        connection.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return connection

    def _headers(self, content_type=None):
        headers = {"Accept": "application/json", "User-Agent": "aliquot-e2e"}
        if content_type:
            headers["Content-Type"] = content_type
        if self._token:
            headers["Authorization"] = f"Bearer {self._token}"
        return headers

    def request(self, method, path, body=None, content_type="application/json", query=None):
        """One request; returns an Answer, raises ApiError for a refusal."""
        if query:
            path += "?" + urllib.parse.urlencode(query)
        data = None if body is None else json.dumps(body).encode()
        headers = self._headers(content_type if data is not None else None)
        for last in (False, True):
            reused = getattr(self._local, "connection", None)
            connection = reused or self._connect(timeout=30)
            self._local.connection = connection
            try:
                connection.request(method, path, body=data, headers=headers)
                response = connection.getresponse()
                text = response.read()
                break
            except (OSError, http.client.HTTPException):
                connection.close()
                self._local.connection = None
                # Only a connection that sat idle may be tried again: the server may have closed it.
                if last or reused is None:
                    raise
        if response.status >= 300:
            raise ApiError(response.status, text)
        try:
            parsed = json.loads(text)
        except ValueError:
            parsed = {"text": text.decode(errors="replace")}
        return Answer(parsed, response.headers)

    def get(self, path, **query):
        """GET; keyword arguments become the query."""
        return self.request("GET", path, query=query)

    def post(self, path, body, **query):
        """POST of one object."""
        return self.request("POST", path, body, query=query)

    def put(self, path, body, **query):
        """PUT of one object."""
        return self.request("PUT", path, body, query=query)

    def patch(self, path, body, content_type=MERGE_PATCH, **query):
        """PATCH, by default a merge patch."""
        return self.request("PATCH", path, body, content_type=content_type, query=query)

    def delete(self, path, grace=None, **query):
        """DELETE of an object or, with a collection's path, of all that the query selects."""
        options = {} if grace is None else {"gracePeriodSeconds": grace}
        return self.request("DELETE", path, options, query=query)

    def exists(self, path):
        """The object, or None when there is none."""
        try:
            return self.get(path)
        except ApiError as error:
            if error.code == 404:
                return None
            raise

    def reachable(self, path="/readyz"):
        """True when the server answers `path` with success."""
        try:
            self.get(path)
            return True
        except (OSError, http.client.HTTPException, ApiError):
            return False

    def watch(self, path, resource_version, **query):
        """Starts a watch and returns it; see Watch."""
        return Watch(self, path, resource_version, query)

    def open_watch(self, path, query):
        """One watch request; returns its socket and response."""
        connection = self._connect(timeout=30)
        open_socket = connection.sock
        path += "?" + urllib.parse.urlencode(query)
        connection.request("GET", path, headers=self._headers())
        response = connection.getresponse()
        if response.status != 200:
            raise ApiError(response.status, response.read())
        open_socket.settimeout(None)
        return open_socket, response


class Watch:
    """The events of one watch, collected by a thread. `events` are (time, type, object).

    The API server ends a watch whose reader is slow; like every client, this one then goes on from
    the last version that it saw, so no event is missed.
    """

    def __init__(self, api, path, resource_version, query):
        self.events = []
        self._api, self._path = api, path
        self._query = {**query, "watch": "1", "resourceVersion": resource_version}
        self._stopped = False
        self._socket, self._response = api.open_watch(path, self._query)
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self):
        while not self._stopped:
            try:
                self._collect()
            except (OSError, AttributeError, http.client.HTTPException):
                pass  # The connection ended: by stop(), or by the server.
            if not self._stopped:
                self._socket, self._response = self._api.open_watch(self._path, self._query)

    def _collect(self):
        # Not `for line in response`: HTTPResponse.readline hides how the stream ended.
        rest = b""
        while data := self._response.read1(1 << 16):
            *lines, rest = (rest + data).split(b"\n")
            now = time.monotonic()
            for line in lines:
                event = json.loads(line)
                assert event["type"] != "ERROR", event
                self._query["resourceVersion"] = event["object"]["metadata"]["resourceVersion"]
                self.events.append((now, event["type"], event["object"]))

    def of(self, name):
        """The events about the object of this name, oldest first."""
        return [event for event in list(self.events) if event[2]["metadata"].get("name") == name]

    def stop(self):
        """Ends the watch."""
        self._stopped = True
        try:
            self._socket.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        self._thread.join(5)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()
