# SPDX-License-Identifier: Apache-2.0
"""aliquotctl completion: the scripts in real shells, and the names that a cluster gives."""
import json
import os
import pty
import select
import shutil
import socket
import subprocess
import time

import pytest
from aliquotctl import PROGRAM, run
from fake_cluster import Cluster, node, pod, serving

SHELLS = ("bash", "zsh", "fish")


@pytest.fixture(name="shell_path", scope="module")
def _shell_path(tmp_path_factory):
    """A directory for PATH in which the program has its names."""
    folder = tmp_path_factory.mktemp("bin")
    for name in ("aliquotctl", "kubectl-aliquot", "kubectl_complete-aliquot"):
        (folder / name).symlink_to(PROGRAM)
    return folder


@pytest.fixture(name="cluster")
def _cluster():
    cluster = Cluster()
    cluster.nodes = [node("node-b"), node("node-a")]
    cluster.pods = [pod("train-1", 30), pod("train-2", 30), pod("web", 30)]
    return cluster


def complete(*words):
    """The lines of __complete."""
    done = run("__complete", *words)
    assert done.returncode == 0 and done.stderr == "", done.stderr
    return done.stdout.splitlines()


def in_shell(shell, path, program, **environment):
    """What a shell prints for a program of its own language, with the completion loaded."""
    load = {"bash": "source <(aliquotctl completion bash)\n", "fish": "aliquotctl completion fish | source\n",
            # compinit's own functions need a terminal; what they are given does not.
            "zsh": "compdef() { print -r -- \"compdef $*\" >&2 }\n_describe() { print -rl -- \"${(@P)4}\" }\n"
                   "_files() { print -r -- files }\nsource <(aliquotctl completion zsh)\n"}[shell]
    options = {"bash": ["--norc"], "zsh": ["-f"], "fish": ["--no-config"]}[shell]
    done = subprocess.run([shell, *options, "-c", load + program], text=True, capture_output=True, check=False, timeout=60,
                          env={**os.environ, "PATH": f"{path}:{os.environ['PATH']}", **environment})
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def offered(shell, path, *words, **environment):
    """What a shell offers for the words of a command line, the last of them half typed."""
    if shell == "fish":
        lines = in_shell(shell, path, f"complete --do-complete '{' '.join(words)}'", **environment)
    elif shell == "zsh":
        quoted = " ".join(f"'{word}'" for word in words)
        lines = in_shell(shell, path, f"words=({quoted}); CURRENT={len(words)}; _aliquotctl", **environment)
        lines = [line.replace("\\:", "\0").replace(":", "\t", 1).replace("\0", ":") for line in lines]
    else:
        # readline's way to part words.
        parted = [part for word in words for part in word.replace("=", " = ").replace(":", " : ").split() or [""]]
        quoted = " ".join(f"'{word}'" for word in parted)
        lines = in_shell(shell, path, f"COMP_WORDS=({quoted}); COMP_CWORD={len(parted) - 1}; _aliquotctl\n"
                                      "printf '%s\\n' \"${COMPREPLY[@]}\"", **environment)
    return sorted(line.split("\t")[0] for line in lines if line)


@pytest.mark.parametrize("shell", SHELLS)
def test_the_shells_are_there_and_take_the_script(shell, tmp_path):
    assert shutil.which(shell), f"{shell} is in the list of tools/install-dependencies.sh --tests"
    script = run("completion", shell)
    assert script.returncode == 0 and script.stderr == ""
    file = tmp_path / "script"
    file.write_text(script.stdout)
    done = subprocess.run([shell, "-n", file], text=True, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("shell", SHELLS)
def test_verbs_flags_and_values_are_offered(shell, shell_path):
    assert {"get", "top", "why", "verify", "doctor", "version", "completion"} <= set(offered(shell, shell_path, "aliquotctl", ""))
    assert offered(shell, shell_path, "aliquotctl", "ver") == ["verify", "version"]
    assert offered(shell, shell_path, "aliquotctl", "top", "pods", "--so") == ["--sort-by"]
    assert offered(shell, shell_path, "aliquotctl", "top", "pods", "--sort-by", "") == ["core", "memory", "name"]
    joined = offered(shell, shell_path, "aliquotctl", "get", "--output=y")
    # readline keeps what stands before the =.
    assert joined == (["yaml"] if shell == "bash" else ["--output=yaml"])


@pytest.mark.parametrize("shell", SHELLS)
def test_names_come_from_the_cluster_and_contexts_from_the_kubeconfig(shell, shell_path, cluster, tmp_path):
    with serving(cluster, tmp_path) as kubeconfig:
        environment = {"KUBECONFIG": str(kubeconfig)}
        assert offered(shell, shell_path, "aliquotctl", "why", "tr", **environment) == ["train-1", "train-2"]
        assert offered(shell, shell_path, "aliquotctl", "get", "nodes", "", **environment) == ["node-a", "node-b"]
        assert offered(shell, shell_path, "aliquotctl", "get", "--context", "", **environment) == ["c"]


@pytest.mark.parametrize("shell", SHELLS)
def test_paths_are_offered_where_a_file_is_meant_and_only_there(shell, shell_path, tmp_path, monkeypatch):
    (tmp_path / "links.txt").write_text("")
    monkeypatch.chdir(tmp_path)
    if shell == "fish":
        assert offered(shell, shell_path, "aliquotctl", "topology", "lin") == ["links.txt"]
    elif shell == "zsh":
        assert offered(shell, shell_path, "aliquotctl", "topology", "lin") == ["files"]
    else:
        # An empty answer: `complete -o default` has readline do it.
        assert offered(shell, shell_path, "aliquotctl", "topology", "lin") == []
    assert offered(shell, shell_path, "aliquotctl", "why", "lin", KUBECONFIG="/nowhere") == []


def typed_into_bash(path, keys, wanted, deadline_s=30):
    """What an interactive bash shows for these keys, up to the wanted text."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.environ.update(PATH=f"{path}:{os.environ['PATH']}", PS1="$ ", TERM="dumb", INPUTRC="/dev/null")
        os.execvp("bash", ["bash", "--norc", "--noprofile", "-i"])
    shown = b""
    try:
        os.write(terminal, b"source <(aliquotctl completion bash); echo rea''dy\n")
        end = time.monotonic() + deadline_s
        sent = False
        while time.monotonic() < end and wanted not in shown:
            if select.select([terminal], [], [], 0.2)[0]:
                shown += os.read(terminal, 4096)
            if not sent and b"ready" in shown.replace(b"rea''dy", b""):
                os.write(terminal, keys)
                sent = True
    finally:
        os.close(terminal)
        os.waitpid(pid, 0)
    return shown


def test_a_tab_in_an_interactive_bash_completes_the_word(shell_path):
    assert b"aliquotctl completion zsh" in typed_into_bash(
        shell_path, b"aliquotctl compl\tz\t", b"aliquotctl completion zsh")
    assert b"--output=yaml" in typed_into_bash(shell_path, b"kubectl-aliquot get nodes --output=y\t", b"--output=yaml")


def test_pods_of_the_namespace_are_asked_for_and_of_a_flag_the_namespaces(cluster, tmp_path):
    with serving(cluster, tmp_path) as kubeconfig:
        assert complete("verify", "--kubeconfig", kubeconfig, "") == ["train-1", "train-2", "web", ":4"]
        assert complete("why", "--kubeconfig", kubeconfig, "-n", "other", "") == [":4"]
        assert complete("why", "--kubeconfig", kubeconfig, "-n", "") == [":4"]
    asked = [(path, query.get("labelSelector")) for _, path, query in cluster.requests]
    assert asked == [("/api/v1/namespaces/team/pods", ["aliquot.io/gpu=true"]), ("/api/v1/namespaces/other/pods", None),
                     ("/api/v1/namespaces", None)]


def test_a_cluster_that_refuses_or_is_silent_costs_nothing_but_two_seconds(cluster, tmp_path):
    cluster.forbidden = {"pods"}
    with serving(cluster, tmp_path) as kubeconfig:
        assert complete("why", "--kubeconfig", kubeconfig, "") == [":4"]
    with socket.create_server(("127.0.0.1", 0)) as silent:
        text = kubeconfig.read_text()
        address = text.split("http://")[1].split('"')[0]
        kubeconfig.write_text(text.replace(address, f"127.0.0.1:{silent.getsockname()[1]}"))
        start = time.monotonic()
        assert complete("why", "--kubeconfig", kubeconfig, "") == [":4"]
        assert time.monotonic() - start < 10
    assert complete("why", "--kubeconfig", tmp_path / "none", "") == [":4"]


def test_a_plugin_that_waits_for_a_login_is_ended(tmp_path):
    plugin = tmp_path / "plugin"
    plugin.write_text("#!/bin/sh\nexec sleep 60\n")
    plugin.chmod(0o755)
    kubeconfig = tmp_path / "config"
    kubeconfig.write_text(json.dumps({
        "current-context": "c", "clusters": [{"name": "k", "cluster": {"server": "https://127.0.0.1:1"}}],
        "users": [{"name": "u", "user": {"exec": {"apiVersion": "client.authentication.k8s.io/v1", "command": str(plugin),
                                                  "interactiveMode": "IfAvailable"}}}],
        "contexts": [{"name": "c", "context": {"cluster": "k", "user": "u"}}]}))
    ours, theirs = pty.openpty()  # as a shell's: a terminal, at which other verbs wait for five minutes
    start = time.monotonic()
    done = subprocess.run([PROGRAM, "__complete", "why", "--kubeconfig", kubeconfig, ""], stdin=theirs, text=True,
                          capture_output=True, check=False, timeout=50)
    os.close(ours)
    os.close(theirs)
    assert (done.returncode, done.stdout) == (0, ":4\n")
    assert time.monotonic() - start < 10


def test_a_long_name_is_offered_whole_and_one_that_cannot_be_typed_not_at_all(cluster, tmp_path):
    cluster.pods = [pod("p" * 253, 30), pod("bad\x1b[2J", 30)]
    with serving(cluster, tmp_path) as kubeconfig:
        assert complete("verify", "--kubeconfig", kubeconfig, "") == ["p" * 253, ":4"]


def test_kubectls_names_do_the_same(shell_path):
    plugin = subprocess.run([shell_path / "kubectl-aliquot", "top", "--help"], text=True, capture_output=True, check=True)
    assert "Usage: kubectl aliquot top " in plugin.stdout
    done = subprocess.run([shell_path / "kubectl_complete-aliquot", "top", "po"], text=True, capture_output=True, check=True)
    assert done.stdout == "pods\n:4\n"


def test_another_shell_is_one_sentence():
    done = run("completion", "csh")
    assert done.returncode == 1 and done.stderr.count("\n") == 1 and "SHELL" in done.stderr
