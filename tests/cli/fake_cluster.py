# SPDX-License-Identifier: Apache-2.0
"""An API server of given objects for aliquotctl: lists, single objects and 404 or 403 for the rest."""
import contextlib
import http.server
import json
import threading
import urllib.parse


def inventory(cards=2, mib=16384):
    """What an agent publishes of so many cards."""
    rows = [[f"GPU-0000000{i}-aaaa", i, 0, mib, f"0000:0{i}:00.0", 0, "7.0", "ok", "none"] for i in range(cards)]
    return json.dumps({"v": 1, "driver": "570", "models": ["V100"], "cards": rows, "links": "NV2" if cards == 2 else ""})


def node(name, cards=2, core="200"):
    """A node; without cards it publishes none."""
    annotations = {"aliquot.io/gpu-inventory": inventory(cards)} if cards else {}
    return {"metadata": {"name": name, "uid": "n-" + name, "resourceVersion": "1", "annotations": annotations}, "spec": {},
            "status": {"allocatable": {"tencent.com/vcuda-core": core} if core else {}}}


def pod(name, core, mib=0, place="", cards=(), **changes):
    """A pod of namespace team that asks for core percent and mib on each card; `cards`: numbers of those it holds."""
    count = max(len(cards), 1)
    limits = {"tencent.com/vcuda-core": str(core * count)}
    if mib:
        limits["tencent.com/vcuda-memory"] = str(mib * count // 256)
    made = {"metadata": {"name": name, "namespace": "team", "uid": "u-" + name, "resourceVersion": "1",
                         "creationTimestamp": "2020-01-01T00:00:00Z", "labels": {"aliquot.io/gpu": "true"},
                         "annotations": {"aliquot.io/gpu-count": str(count)} if count > 1 else {}},
            "spec": {"schedulerName": "default-scheduler", "containers": [{"name": "main", "resources": {"limits": limits}}]},
            "status": {"phase": "Running" if place else "Pending"}}
    if place:
        made["spec"]["nodeName"] = place
        made["metadata"]["annotations"]["aliquot.io/allocation"] = json.dumps(
            {"v": 1, "uid": "u-" + name, "node": place, "containers": {"main": {
                "cards": [{"uuid": f"GPU-0000000{i}-aaaa", "core": core, "mib": mib} for i in cards],
                "isolation": "auto"}}})
    made["spec"].update(changes.get("spec", {}))
    made["status"].update(changes.get("status", {}))
    return made


class Cluster:
    """The objects, and what was asked. A path of `forbidden` is answered with 403."""

    def __init__(self):
        self.nodes, self.pods, self.events, self.claims = [], [], [], {}
        self.forbidden = set()
        self.requests = []

    def answer(self, path, query):
        """Status and object, or text."""
        parts = path.split("/")
        kind = parts[-1] if parts[-1] in ("nodes", "pods", "events") else parts[-2]
        if kind in self.forbidden:
            return 403, {"kind": "Status", "message": f'{kind} is forbidden: User "u" cannot list resource'}
        if path == "/api/v1/nodes":
            return 200, {"kind": "NodeList", "metadata": {"resourceVersion": "1"}, "items": self.nodes}
        if parts[-1] == "pods":
            selector = query.get("labelSelector", [""])[0]
            items = [] if "!=" in selector else self.pods
            if "namespaces" in parts:
                items = [item for item in items if item["metadata"]["namespace"] == parts[parts.index("namespaces") + 1]]
            return 200, {"kind": "PodList", "metadata": {"resourceVersion": "1"}, "items": items}
        if parts[-1] == "events":
            return 200, {"kind": "EventList", "metadata": {}, "items": self.events}
        if kind == "pods":
            found = [item for item in self.pods if item["metadata"]["name"] == parts[-1]]
            return (200, found[0]) if found else (404, {"kind": "Status", "message": "not found"})
        if kind == "persistentvolumeclaims" and parts[-1] in self.claims:
            return 200, {"status": {"phase": self.claims[parts[-1]]}}
        return 404, {"kind": "Status", "message": f'{kind} "{parts[-1]}" not found'}


def serving(cluster, directory):
    """Serves the cluster while the block runs; yields the kubeconfig's path."""
    def answer(command, url, _headers, _body):
        query = urllib.parse.parse_qs(url.query)
        cluster.requests.append((command, url.path, query))
        return cluster.answer(url.path, query)
    return serving_answers(answer, directory)


@contextlib.contextmanager
def serving_answers(answer, directory):
    """The same with any `answer(command, url, headers, body)`, which gives a status and a text or JSON."""
    class Handler(http.server.BaseHTTPRequestHandler):
        """One request a connection."""

        def _answer(self):
            body = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
            status, reply = answer(self.command, urllib.parse.urlparse(self.path), self.headers, body)
            text = (reply if isinstance(reply, str) else json.dumps(reply)).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

        do_GET = do_POST = _answer  # the base class's names

        def log_message(self, *_):  # pylint: disable=arguments-differ
            pass
    listener = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=listener.serve_forever)
    thread.start()
    path = directory / "kubeconfig"
    path.write_text(json.dumps({
        "apiVersion": "v1", "kind": "Config", "current-context": "c",
        "clusters": [{"name": "k", "cluster": {"server": f"http://127.0.0.1:{listener.server_port}"}}],
        "users": [{"name": "u", "user": {}}],
        "contexts": [{"name": "c", "context": {"cluster": "k", "user": "u", "namespace": "team"}}]}))
    try:
        yield path
    finally:
        listener.shutdown()
        thread.join()
        listener.server_close()
