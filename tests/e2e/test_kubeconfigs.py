# SPDX-License-Identifier: Apache-2.0
"""aliquotctl finds a real API server by the kubeconfigs that kubectl makes, as whom kubectl asks."""
import json
import os
import stat
import subprocess
import sys

from harness import binaries, chart

PROGRAM = chart.ROOT / "out" / "bin" / "aliquotctl"
# A token of a service account, or an administrator's client certificate, as its first word says.
PLUGIN = """#!{python}
import json, os, subprocess, sys
asked = json.loads(os.environ["KUBERNETES_EXEC_INFO"])
if sys.argv[1] == "token":
    token = subprocess.run({create_token}, check=True, stdout=subprocess.PIPE, text=True).stdout.strip()
    status = {{"token": token, "expirationTimestamp": "2099-01-01T00:00:00Z"}}
else:
    status = {{"clientCertificateData": open({certificate!r}).read(), "clientKeyData": open({key!r}).read()}}
assert asked["spec"]["cluster"]["server"] == {server!r}
print(json.dumps({{"apiVersion": asked["apiVersion"], "kind": "ExecCredential", "status": status}}))
"""


def _run(paths, *words):
    """Ends of kubectl and aliquotctl by the same KUBECONFIG; the first word chooses."""
    program = binaries.program("kubectl") if words[0] == "kubectl" else PROGRAM
    return subprocess.run([str(program), *words[1:]], env={**os.environ, "KUBECONFIG": ":".join(map(str, paths))}, check=False,
                          timeout=60, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def _made(paths, *words):
    done = _run(paths, "kubectl", "config", *words)
    assert done.returncode == 0, done.stderr


def _plugin(cluster, work, folder):
    certificate, key = cluster.plane.client_certificate("admin")
    plugin = folder / "bin" / "plugin"
    plugin.parent.mkdir()
    plugin.write_text(PLUGIN.format(
        python=sys.executable, certificate=str(certificate), key=str(key), server=cluster.plane.server,
        create_token=[str(binaries.program("kubectl")), f"--kubeconfig={cluster.plane.kubeconfig('admin')}", "create", "token",
                      "reader", f"--namespace={work.name}"]))
    plugin.chmod(plugin.stat().st_mode | stat.S_IXUSR)


def _whoami(paths):
    done = _run(paths, "kubectl", "auth", "whoami", "-o", "json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)["status"]["userInfo"]["username"]


def test_plugins_and_several_files_lead_to_the_same_server_and_user(cluster, work, tmp_path):
    cluster.api.post(f"/api/v1/namespaces/{work.name}/serviceaccounts", {
        "apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "reader"}})
    _plugin(cluster, work, tmp_path)
    users, rest = tmp_path / "users", tmp_path / "rest"
    for name in ("token", "certificate"):
        _made([users], "set-credentials", name, "--exec-command=bin/plugin", f"--exec-arg={name}", "--exec-interactive-mode=Never",
              "--exec-api-version=client.authentication.k8s.io/v1", "--exec-provide-cluster-info=true")
        _made([rest], "set-context", name, "--cluster=here", f"--user={name}")
    _made([rest], "set-cluster", "here", f"--server={cluster.plane.server}",
          f"--certificate-authority={cluster.plane.authority.certificate}")
    _made([rest], "use-context", "token")
    paths = [tmp_path / "absent", users, rest]

    reader = f"system:serviceaccount:{work.name}:reader"
    assert _whoami(paths) == reader
    refused = _run(paths, "aliquotctl", "get", "nodes")
    assert refused.returncode == 1 and "needs the right to list nodes and pods" in refused.stderr, refused.stderr
    allowed = _run(paths, "aliquotctl", "get", "nodes", "--context", "certificate")
    assert allowed.returncode == 0, allowed.stderr
    as_reader = _run(paths, "aliquotctl", "get", "nodes", "--context", "certificate", "--as", reader)
    assert as_reader.returncode == 1 and as_reader.stderr == refused.stderr, as_reader.stderr
