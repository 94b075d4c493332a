# SPDX-License-Identifier: Apache-2.0
"""aliquotctl verify, against a server that plays API server and agent and records what it is asked."""
import json
import urllib.parse

import pytest
from aliquotctl import run
from fake_cluster import serving_answers

TOKEN = "aaa.bbb.ccc"
CHECKS = [
    {"container": "main", "check": "grant", "subject": "", "result": "ok", "says": "has 30 % of GPU-a"},
    {"container": "main", "check": "library", "subject": "py\x1b[2Jthon (7)", "result": "failed",
     "says": "it uses the card without the enforcement library"},
    {"container": "main", "check": "memory", "subject": "GPU-a", "result": "unknown", "says": "the driver is gone"},
]
TABLE = """\
pod team/train on node n1: 1 ok, 1 failed, 1 unknown
RESULT   CONTAINER  CHECK    SUBJECT         SAYS
failed   main       library  py?[2Jthon (7)  it uses the card without the enforcement library
unknown  main       memory   GPU-a           the driver is gone
ok       main       grant                    has 30 % of GPU-a
"""


def page(checks, result):
    """An agent's page."""
    return json.dumps({"v": 1, "node": "n1", "pod": "team/train", "uid": "u", "result": result, "checks": checks})


def failure(code, message="no"):
    """An error of the API server itself."""
    return code, json.dumps({"kind": "Status", "apiVersion": "v1", "status": "Failure", "message": message, "code": code})


def agents(*names, phase="Running", ports=()):
    """A list of agents' pods."""
    return 200, json.dumps({"kind": "PodList", "items": [
        {"metadata": {"name": name}, "spec": {"containers": [{"name": "agent", "ports": list(ports)}]},
         "status": {"phase": phase}} for name in names]})


class Answers:
    """What the server says; a test changes single answers."""

    def __init__(self):
        self.pod = (200, json.dumps({"kind": "Pod", "metadata": {"name": "train", "namespace": "team", "uid": "u"},
                                     "spec": {"nodeName": "n1", "containers": [{"name": "main"}]}}))
        self.agents = agents("agent-x")
        self.token = (201, json.dumps({"kind": "TokenRequest", "status": {"token": TOKEN}}))
        self.page = (200, page(CHECKS, "failed"))
        self.requests = []


@pytest.fixture(name="answers")
def _answers():
    return Answers()


@pytest.fixture(name="kubeconfig")
def _kubeconfig(tmp_path, answers):
    def answer(command, url, headers, body):
        answers.requests.append((command, urllib.parse.unquote(url.path), urllib.parse.parse_qs(url.query),
                                 dict(headers), body))
        if "/proxy/" in url.path:
            return answers.page
        if url.path.endswith("/token"):
            return answers.token
        return answers.agents if url.path.endswith("/pods") else answers.pod
    with serving_answers(answer, tmp_path) as path:
        yield path


def verify(kubeconfig, *words):
    """The finished process."""
    return run("verify", "train", "--kubeconfig", kubeconfig, *words)


def test_a_failed_check_is_shown_first_without_control_characters_and_ends_with_2(kubeconfig):
    done = verify(kubeconfig)
    assert (done.returncode, done.stdout, done.stderr) == (2, TABLE, "")


def test_a_kubeconfig_that_is_not_there_is_named_with_the_remedy(tmp_path):
    missing = tmp_path / "absent"
    done = run("verify", "train", "--kubeconfig", missing)
    assert done.returncode == 1
    assert done.stderr.strip() == f"kubeconfig {missing} cannot be read; name another one with --kubeconfig"


def test_four_requests_lead_to_the_page(kubeconfig, answers):
    verify(kubeconfig, "--container", "main")
    system = "/api/v1/namespaces/aliquot-system"
    assert [(command, path) for command, path, *_ in answers.requests] == [
        ("GET", "/api/v1/namespaces/team/pods/train"), ("GET", f"{system}/pods"),
        ("POST", f"{system}/serviceaccounts/aliquot-verify/token"),
        ("GET", f"{system}/pods/https:agent-x:8443/proxy/verify")]
    assert answers.requests[1][2] == {
        "labelSelector": ["app.kubernetes.io/component=agent,app.kubernetes.io/name=aliquot-agent"],
        "fieldSelector": ["spec.nodeName=n1"]}
    assert json.loads(answers.requests[2][4])["spec"] == {"audiences": ["aliquot-agent"], "expirationSeconds": 600}
    *_, query, headers, _ = answers.requests[3]
    assert query == {"pod": ["team/train"], "container": ["main"]}
    assert headers["X-Aliquot-Token"] == TOKEN


def test_names_and_ports_can_be_others(kubeconfig, answers):
    answers.agents = agents("agent-y", ports=[{"name": "authenticated", "containerPort": 9443}])
    verify(kubeconfig, "-n", "other", "--agent-namespace", "gpu", "--account", "reader")
    paths = [path for _, path, *_ in answers.requests]
    assert paths == ["/api/v1/namespaces/other/pods/train", "/api/v1/namespaces/gpu/pods",
                     "/api/v1/namespaces/gpu/serviceaccounts/reader/token",
                     "/api/v1/namespaces/gpu/pods/https:agent-y:9443/proxy/verify"]
    verify(kubeconfig, "--port", "1234")
    assert "https:agent-y:1234" in answers.requests[-1][1]


def test_all_checks_ok_ends_with_0_and_unknown_ones_with_2(kubeconfig, answers):
    answers.page = (200, page(CHECKS[:1], "ok"))
    assert verify(kubeconfig).returncode == 0
    answers.page = (200, page([CHECKS[0], CHECKS[2]], "unknown"))
    assert verify(kubeconfig).returncode == 2
    answers.page = (200, page([], "ok"))
    assert verify(kubeconfig).returncode == 2


def test_json_is_the_agents_page_and_can_be_read_again(kubeconfig, tmp_path, answers):
    done = verify(kubeconfig, "-o", "json")
    assert done.returncode == 2 and done.stdout == answers.page[1] + "\n"
    saved = tmp_path / "page.json"
    saved.write_text(done.stdout)
    again = run("verify", "--from", saved)
    assert (again.returncode, again.stdout) == (2, TABLE)
    assert run("verify", "--from", "-", text=done.stdout).stdout == TABLE


@pytest.mark.parametrize("which, answer, parts", [
    ("pod", failure(403), ["needs the right to get pods in namespace team"]),
    ("pod", failure(404), ["there is no pod team/train", "-n"]),
    ("pod", failure(401), ["credentials"]),
    ("pod", (200, '{"kind":"Pod","metadata":{"name":"train","namespace":"team","uid":"u"},"spec":{}}'), ["on no node yet"]),
    ("agents", failure(403), ["right to list pods in namespace aliquot-system", "agent.verifiers"]),
    ("agents", agents(), ["there is no aliquot-agent on node n1", "--agent-namespace"]),
    ("agents", agents("agent-x", phase="Pending"), ["does not run on node n1"]),
    ("agents", (200, "[]"), ["not readable"]),
    ("token", failure(403), ["right to create serviceaccounts/token", "aliquot-verify", "agent.verifiers"]),
    ("token", failure(404), ["there is no service account aliquot-verify", "--account"]),
    ("token", (201, '{"status":{"token":"a\\nb: c"}}'), ["no TokenRequest"]),
    ("page", failure(403), ["right to get pods/proxy in namespace aliquot-system"]),
    ("page", failure(503, "error trying to reach service: connection refused"),
     ["can't be reached at port 8443", "connection refused", "listen.authenticated"]),
    ("page", (403, "system:serviceaccount:x may not get /verify\n"), ["agent agent-x on node n1 says: system:service"]),
    ("page", (404, "pod team/train holds no card of node n1\n"), ["says: pod team/train holds no card"]),
    ("page", (200, '{"v":2}'), ["version is not 1"]),
    ("page", (200, "nonsense"), ["not JSON"]),
    ("page", (200, '{"v":1,"result":"ok","checks":[{}]}'), ["no result"]),
])
def test_what_is_missing_is_one_sentence_with_the_remedy(kubeconfig, answers, which, answer, parts):
    setattr(answers, which, answer)
    done = verify(kubeconfig)
    assert done.returncode == 1 and done.stdout == ""
    assert done.stderr.count("\n") == 1 and TOKEN not in done.stderr
    for part in parts:
        assert part in done.stderr, done.stderr


@pytest.mark.parametrize("words, part", [
    ((), "say which pod"), (("a", "--from", "x"), "not both"), (("--from", "/nowhere/page"), "/nowhere/page"),
    (("Not_A_Pod",), "give the name of a pod"), (("a/b",), "give the name of a pod"),
    (("a", "-n", "A"), "give the name of a namespace"), (("a", "--container", "-"), "give the name of a container"),
    (("a", "--port", "0"), "--port"), (("a", "-o", "yaml"), "--output")])
def test_wrong_words_are_one_sentence(kubeconfig, words, part):
    arguments = words if "--from" in words or not words else (*words, "--kubeconfig", kubeconfig)
    done = run("verify", *arguments)
    assert done.returncode == 1 and done.stderr.count("\n") == 1 and part in done.stderr, done.stderr


def test_a_server_that_is_away_is_one_sentence(tmp_path):
    kubeconfig = tmp_path / "kubeconfig"
    kubeconfig.write_text(json.dumps({
        "current-context": "c", "clusters": [{"name": "k", "cluster": {"server": "http://127.0.0.1:1"}}], "users": [],
        "contexts": [{"name": "c", "context": {"cluster": "k"}}]}))
    done = verify(kubeconfig)
    assert done.returncode == 1 and done.stderr.startswith("reading pod default/train failed: ")
