# SPDX-License-Identifier: Apache-2.0
"""aliquotctl simulate --pod, against a cluster file and against a server that records what it is asked."""
import http.server
import json
import threading
import urllib.parse

import pytest
from aliquotctl import ROOT, answer, run

DEMO = ROOT / "config" / "demo-cluster.yaml"
POD = """apiVersion: v1
kind: Pod
metadata: {name: training, namespace: team-a}
spec:
  containers:
    - name: main
      resources: {limits: {tencent.com/vcuda-core: %s}}
"""


@pytest.fixture(name="pod")
def _pod(tmp_path):
    def write(core):
        path = tmp_path / f"pod-{core}.yaml"
        path.write_text(POD % core)
        return path
    return write


def _inventory():
    cards = [[f"GPU-00000000-0000-0000-0000-00000000000{i}", i, 0, 16384, f"0000:0{i}:00.0", 0, "7.0", "ok", "none"]
             for i in range(2)]
    return json.dumps({"v": 1, "driver": "570", "models": ["V100"], "cards": cards, "links": "NV2"})


def _node(number):
    return {"metadata": {"name": f"node-{number}", "uid": f"uid-{number}", "resourceVersion": "1",
                         "annotations": {"aliquot.io/gpu-inventory": _inventory()}}, "spec": {}, "status": {}}


class _Server(http.server.BaseHTTPRequestHandler):
    """Two pages of nodes, one of pods; remembers each request."""
    requests = []
    status = 200

    def do_GET(self):  # pylint: disable=invalid-name  # the base class's name
        url = urllib.parse.urlparse(self.path)
        query = urllib.parse.parse_qs(url.query)
        self.requests.append(("GET", url.path, query))
        second = "continue" in query
        if url.path == "/api/v1/nodes":
            body = {"kind": "NodeList", "metadata": {"resourceVersion": "1", "continue": "" if second else "next/page"},
                    "items": [_node(2 if second else 1)]}
        else:
            body = {"kind": "PodList", "metadata": {"resourceVersion": "1"}, "items": []}
        text = json.dumps(body).encode()
        self.send_response(self.status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_):  # pylint: disable=arguments-differ
        pass


@pytest.fixture(name="server")
def _server(tmp_path):
    class Handler(_Server):
        """Its own lists for each test."""
        requests = []
    listener = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=listener.serve_forever)
    thread.start()
    kubeconfig = tmp_path / "kubeconfig"
    kubeconfig.write_text(json.dumps({
        "apiVersion": "v1", "kind": "Config", "current-context": "c",
        "clusters": [{"name": "k", "cluster": {"server": f"http://127.0.0.1:{listener.server_port}"}}],
        "users": [{"name": "u", "user": {}}],
        "contexts": [{"name": "c", "context": {"cluster": "k", "user": "u"}}]}))
    yield Handler, kubeconfig
    listener.shutdown()
    thread.join()
    listener.server_close()


def test_a_cluster_file_says_where_and_why(pod):
    report = answer("simulate", "--cluster", DEMO, "--pod", pod(100), "--output", "json")
    assert report["nodes_fitting"] > 0 and report["best_node"] is not None
    best = report["nodes"][0]
    assert best["name"] == report["best_node"] and best["fits"]
    assert sum(term["value"] for term in best["score"]) == best["rank"]
    text = run("simulate", "--cluster", DEMO, "--pod", pod(100)).stdout
    assert f"best node {report['best_node']}" in text


def test_a_pod_that_fits_nowhere_is_an_answer_too(pod):
    done = run("simulate", "--cluster", DEMO, "--pod", pod(6400))
    assert done.returncode == 0
    assert done.stdout.startswith("0/5 nodes fit")


def test_a_kubeconfig_is_read_page_by_page_with_lists_only(server, pod):
    handler, kubeconfig = server
    report = answer("simulate", "--kubeconfig", kubeconfig, "--pod", pod(200), "--output", "json")
    assert report["nodes_total"] == 2 and report["nodes_fitting"] == 2
    assert [(verb, path) for verb, path, _ in handler.requests] == [
        ("GET", "/api/v1/nodes"), ("GET", "/api/v1/nodes"), ("GET", "/api/v1/pods"), ("GET", "/api/v1/pods")]
    assert handler.requests[1][2]["continue"] == ["next/page"]
    assert [query["labelSelector"] for _, _, query in handler.requests[2:]] == [
        ["aliquot.io/gpu=true"], ["aliquot.io/gpu!=true"]]


@pytest.mark.parametrize("status, part", [(403, "needs the right to list nodes and pods"), (401, "credentials"),
                                          (500, "is the server well?")])
def test_a_server_that_refuses_is_one_sentence(server, pod, status, part):
    handler, kubeconfig = server
    handler.status = status
    done = run("simulate", "--kubeconfig", kubeconfig, "--pod", pod(100))
    assert done.returncode == 1 and done.stdout == ""
    assert done.stderr.count("\n") == 1 and f"HTTP {status}" in done.stderr and part in done.stderr


def test_a_cluster_file_with_problems_names_their_lines(tmp_path, pod):
    cluster = tmp_path / "cluster.yaml"
    cluster.write_text("apiVersion: aliquot.io/v1alpha1\nkind: Cluster\nnodeClasses: []\nmore: 1\n")
    done = run("simulate", "--cluster", cluster, "--pod", pod(100))
    assert done.returncode == 1
    assert "cluster.yaml:4" in done.stderr


@pytest.mark.parametrize("place", ["KUBECONFIG", "HOME"])
def test_the_cluster_is_found_as_by_every_verb(server, pod, tmp_path, place):
    handler, kubeconfig = server
    (tmp_path / ".kube").mkdir()
    usual = tmp_path / ".kube" / "config"
    usual.write_text(kubeconfig.read_text() if place == "HOME" else "{}")
    env = {"KUBERNETES_SERVICE_HOST": "", "HOME": tmp_path, "KUBECONFIG": f"{tmp_path}/absent:{kubeconfig}" if place == "KUBECONFIG" else ""}
    done = run("simulate", "--pod", pod(100), env=env)
    assert done.returncode == 0 and "2/2 nodes fit" in done.stdout, done.stderr
    assert handler.requests
    assert "KUBERNETES_SERVICE_HOST" in run("simulate", "--pod", pod(100), "--in-cluster", env=env).stderr


def test_no_cluster_is_one_sentence(pod, tmp_path):
    done = run("simulate", "--pod", pod(100), env={"KUBECONFIG": "", "HOME": ""})
    assert done.returncode == 1
    assert done.stderr == "there is no kubeconfig; give one with --kubeconfig\n"
    done = run("simulate", "--pod", pod(100), "--cluster", DEMO, "--kubeconfig", tmp_path)
    assert done.returncode == 1
    assert done.stderr == "--cluster is a file in place of an API server; give it or --kubeconfig, and not both\n"
