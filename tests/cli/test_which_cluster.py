# SPDX-License-Identifier: Apache-2.0
"""Kubeconfigs as people have them: several files, credential plugins, proxies, another user."""
import json
import os
import pty
import subprocess
import sys

import pytest
from aliquotctl import PROGRAM, run
from fake_cluster import Cluster, node
from tls_cluster import HttpRelay, SocksRelay, TlsCluster, relaying

V1 = "client.authentication.k8s.io/v1"


@pytest.fixture(name="server")
def _server(tmp_path):
    cluster = Cluster()
    cluster.nodes = [node("a")]
    server = TlsCluster(cluster, tmp_path / "pki")
    yield server
    server.close()


class Config:
    """A kubeconfig of the parts that a test changes."""

    def __init__(self, server, path):
        self.path = path
        self.cluster = {"server": server.url, "certificate-authority": "pki/ca.crt"}
        self.user = {}

    def write(self):
        """Its path."""
        self.path.write_text(json.dumps({
            "apiVersion": "v1", "kind": "Config", "current-context": "c",
            "clusters": [{"name": "k", "cluster": self.cluster}], "users": [{"name": "u", "user": self.user}],
            "contexts": [{"name": "c", "context": {"cluster": "k", "user": "u", "namespace": "team"}}]}))
        return self.path

    def plugin(self, body, **fields):
        """The user's plugin is a script in Python, named by a path relative to the file, that calls answer(..) or exits."""
        script = self.path.parent / "plugin.py"
        script.write_text(f"""#!{sys.executable}
import json, os, sys
def answer(**status):
    print(json.dumps({{"apiVersion": "{V1}", "kind": "ExecCredential", "status": status}}))
{body}
""")
        script.chmod(0o755)
        self.user = {"exec": {"apiVersion": V1, "command": "./plugin.py", "interactiveMode": "IfAvailable", **fields}}

    def nodes(self):
        """aliquotctl get nodes by it."""
        return run("get", "nodes", "--kubeconfig", self.write())


@pytest.fixture(name="config")
def _config(server, tmp_path):
    return Config(server, tmp_path / "config")


def test_a_plugins_token_is_sent_and_it_runs_once_for_all_requests(config, server, tmp_path):
    config.plugin("open('runs', 'a').write('x')\nanswer(token='t-' + sys.argv[1] + os.environ['SUFFIX'])",
                  args=["one"], env=[{"name": "SUFFIX", "value": "-two"}])
    done = subprocess.run([PROGRAM, "get", "cards", "--kubeconfig", config.write()], cwd=tmp_path, capture_output=True,
                          text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr
    assert len(server.bearers()) > 1 and set(server.bearers()) == {"Bearer t-one-two"}
    assert (tmp_path / "runs").read_text() == "x"


def test_a_plugin_is_told_of_the_cluster_and_that_nobody_is_there(config, server, tmp_path):
    config.cluster["extensions"] = [{"name": "client.authentication.k8s.io/exec", "extension": {"audience": "a"}}]
    config.plugin(f"open({str(tmp_path / 'info')!r}, 'w').write(os.environ['KUBERNETES_EXEC_INFO'])\nanswer(token='t')",
                  provideClusterInfo=True)
    assert config.nodes().returncode == 0
    info = json.loads((tmp_path / "info").read_text())
    assert info["apiVersion"] == V1 and info["kind"] == "ExecCredential" and info["spec"]["interactive"] is False
    assert info["spec"]["cluster"]["server"] == server.url and info["spec"]["cluster"]["config"] == {"audience": "a"}
    assert info["spec"]["cluster"]["certificate-authority-data"]


def test_a_plugins_client_certificate_is_shown_to_the_server(config, server):
    certificate, key = server.certificates.issue("person")
    config.plugin(f"answer(clientCertificateData=open({str(certificate)!r}).read(), clientKeyData=open({str(key)!r}).read())")
    done = config.nodes()
    assert done.returncode == 0, done.stderr
    assert set(server.subjects) == {"x"} and server.bearers()[0] is None


def test_a_token_that_the_server_rejects_is_asked_for_once_more(config, server, tmp_path):
    server.tokens = {"t2"}
    config.plugin(f"""
path = {str(tmp_path / 'runs')!r}
open(path, 'a').write('x')
answer(token='t%d' % os.path.getsize(path))""")
    done = config.nodes()
    assert done.returncode == 0, done.stderr
    assert server.bearers()[:2] == ["Bearer t1", "Bearer t2"]
    assert (tmp_path / "runs").read_text() == "xx"


@pytest.mark.parametrize("body, sentence", [
    ("print('secret9'); print('log in first', file=sys.stderr); sys.exit(3)", "ended with exit status 3"),
    ("os.kill(os.getpid(), 9)", "was ended by signal 9"),
    ("print('secret9')", "printed something else than one ExecCredential"),
    ("print(json.dumps({'apiVersion': 'v1', 'kind': 'ExecCredential', 'status': {'token': 'secret9'}}))", "another apiVersion"),
    ("answer(token='secret9 x')", "holds no usable token"),
    ("answer()", "gave neither a token nor a client certificate")])
def test_a_plugin_that_fails_is_one_sentence_after_its_own_words(config, server, body, sentence):
    config.plugin(body)
    done = config.nodes()
    assert done.returncode == 1 and done.stdout == "" and not server.headers
    *own, last = done.stderr.splitlines()
    assert own == (["log in first"] if "log in" in body else [])
    assert last.startswith(f'kubeconfig {config.path}: users "u".exec') and sentence in last
    assert "secret9" not in done.stderr


def test_a_plugin_that_is_not_there_shows_its_hint(config):
    config.plugin("", command="aliquot-no-such-plugin", installHint="Get it\nfrom example.org")
    assert config.nodes().stderr == (f'kubeconfig {config.path}: users "u".exec: plugin "aliquot-no-such-plugin" is not there; '
                                     "Get it from example.org\n")


def test_a_plugin_that_needs_a_person_asks_at_the_terminal_only(config, server):
    config.plugin("assert json.loads(os.environ['KUBERNETES_EXEC_INFO'])['spec']['interactive']\nanswer(token=input())",
                  interactiveMode="Always")
    assert "run this at a terminal" in config.nodes().stderr
    ours, theirs = pty.openpty()
    os.write(ours, b"typed\n")
    done = subprocess.run([PROGRAM, "get", "nodes", "--kubeconfig", config.write()], stdin=theirs, capture_output=True, text=True,
                          check=False, timeout=60)
    os.close(ours)
    os.close(theirs)
    assert done.returncode == 0, done.stderr
    assert set(server.bearers()) == {"Bearer typed"}


def test_the_files_of_kubeconfig_are_one(config, server, tmp_path):
    config.user = {"token": "t"}
    document = json.loads(config.write().read_text())
    other = tmp_path / "other"
    other.mkdir()
    (other / "token").write_text("from-file")
    first = {"users": [{"name": "u", "user": {"tokenFile": "token"}}]}
    (other / "users").write_text(json.dumps(first))
    paths = f"{tmp_path / 'absent'}::{other / 'users'}:{config.path}"
    done = run("get", "nodes", env={"KUBECONFIG": paths})
    assert done.returncode == 0, done.stderr
    assert set(server.bearers()) == {"Bearer from-file"}
    document["users"] = [{"name": "u", "user": {"token": ["t"]}}]
    config.path.write_text(json.dumps(document))
    (other / "users").write_text("{}")
    assert run("get", "nodes", env={"KUBECONFIG": paths}).stderr == (
        f'kubeconfig {config.path}: users "u".token must be a string\n')


def test_no_kubeconfig_anywhere_is_one_sentence(tmp_path):
    assert run("get", "nodes", env={"KUBECONFIG": f"{tmp_path}/a:{tmp_path}/b"}).stderr == (
        f"none of the kubeconfigs {tmp_path}/a, {tmp_path}/b is there; name another one with --kubeconfig\n")
    assert run("get", "nodes", env={"KUBECONFIG": "", "HOME": tmp_path}).stderr == (
        f"kubeconfig {tmp_path}/.kube/config is not there; name another one with --kubeconfig\n")


def test_another_user_is_asked_for_by_kubeconfig_or_flag(config, server):
    config.user = {"token": "t", "as": "jane", "as-uid": "7", "as-groups": ["dev", "ops"], "as-user-extra": {"a/b": ["c"]}}
    assert config.nodes().returncode == 0
    headers = server.headers[-1]
    assert headers["Impersonate-User"] == "jane" and headers["Impersonate-Uid"] == "7"
    assert headers.get_all("Impersonate-Group") == ["dev", "ops"] and headers["Impersonate-Extra-a%2Fb"] == "c"
    assert headers["Authorization"] == "Bearer t"
    done = run("get", "nodes", "--kubeconfig", config.write(), "--as", "joe", "--as-group", "qa")
    assert done.returncode == 0
    headers = server.headers[-1]
    assert headers.get_all("Impersonate-User") == ["joe"] and headers.get_all("Impersonate-Group") == ["qa"]
    assert headers["Impersonate-Uid"] is None
    assert "--as" in run("get", "nodes", "--kubeconfig", config.write(), "--as-group", "qa").stderr


@pytest.mark.parametrize("words", [("--as", "", "--as-group", "qa"), ("--as", "", "--as-uid", "7"), ("--as", " "),
                                   ("--as", "joe", "--as-group", " ")])
def test_nobody_is_impersonated_by_a_blank_and_nothing_asked_as_oneself_instead(config, server, words):
    config.user = {"token": "t"}
    done = run("get", "nodes", "--kubeconfig", config.write(), *words)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1), done.stderr
    assert not server.headers


@pytest.mark.parametrize("scheme, relay", [("http", HttpRelay), ("socks5", SocksRelay)])
def test_the_proxy_of_a_kubeconfig_leads_to_the_server_and_sees_no_credential(tmp_path, scheme, relay):
    cluster = Cluster()
    cluster.nodes = [node("a")]
    server = TlsCluster(cluster, tmp_path / "pki", host="only-there.example")
    try:
        config = Config(server, tmp_path / "config")
        config.user = {"token": "secret9"}
        with relaying(relay, server.port) as proxy:
            config.cluster["proxy-url"] = f"{scheme}://127.0.0.1:{proxy.server_address[1]}"
            done = run("get", "nodes", "--kubeconfig", config.write(), env={"NO_PROXY": "*"})
        assert done.returncode == 0, done.stderr
        assert set(server.bearers()) == {"Bearer secret9"}
        assert proxy.heard and all(f"only-there.example:{server.port}" in text for text in proxy.heard)
        assert not any("secret9" in text for text in proxy.heard)
    finally:
        server.close()
