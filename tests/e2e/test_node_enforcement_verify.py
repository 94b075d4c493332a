# SPDX-License-Identifier: Apache-2.0
"""`aliquotctl verify` and `top` on a real node: from a person's kubeconfig through the API server's proxy to the
agent's authenticated listener, with the rights that the chart gives and no others."""
import json
import os
import subprocess

import pytest

from harness import binaries, chart
from harness.cluster import VERIFIER
from harness.tenants import MIB

SMALL, LARGE = 4096 * MIB, 7168 * MIB
NOT_HELD = 2
PROGRAM = chart.ROOT / "out" / "bin" / "aliquotctl"


@pytest.fixture
def two(tenants):
    """A pod of 30 % and one of 50 %, running on the one card of a node."""
    tenants.share("small", 30, SMALL)
    tenants.share("large", 50, LARGE)
    tenants.wait_running("small", "large")
    return tenants


def kubeconfig(tenants, user):
    """A person's kubeconfig, who may see the pods of the test's namespace."""
    plane = tenants.work.cluster.plane
    plane.add_user(user, user)
    tenants.work.api.post(
        f"/apis/rbac.authorization.k8s.io/v1/namespaces/{tenants.work.name}/rolebindings", {
            "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "RoleBinding",
            "metadata": {"name": f"views-{user}"},
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole",
                        "name": "view"},
            "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": user}]})
    return plane.kubeconfig(user)


def verify(tenants, config, name, *flags):
    """(exit status, standard output, standard error) of aliquotctl about a pod."""
    done = subprocess.run(
        [str(PROGRAM), "verify", name, f"--namespace={tenants.work.name}",
         f"--kubeconfig={config}", *flags], check=False, text=True, capture_output=True, timeout=60)
    return done.returncode, done.stdout, done.stderr


def plugin(*words):
    """What kubectl prints for these words, with aliquotctl as its plugin."""
    done = subprocess.run(
        [str(binaries.program("kubectl")), *words], check=False, text=True, capture_output=True,
        env={**os.environ, "PATH": f"{PROGRAM.parent}:{os.environ['PATH']}"}, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout


def used(tenants, config):
    """The pods of the test's namespace by name, as `kubectl aliquot top` shows them."""
    page = plugin("aliquot", "top", "pods", f"--namespace={tenants.work.name}",
                  f"--kubeconfig={config}", "--output=json")
    return {each["name"]: each for each in json.loads(page)["items"]}


def test_kubectl_finds_the_program_and_completes_its_words():
    assert plugin("aliquot", "version", "--client").startswith("aliquotctl ")
    assert "Usage: kubectl aliquot top " in plugin("aliquot", "top", "--help")
    assert plugin("__complete", "aliquot", "top", "n").splitlines()[0] == "nodes"


def test_verify_says_that_two_pods_at_work_are_held_and_names_what_is_not(two):
    config = kubeconfig(two, VERIFIER)
    running = [two.begin("small", hold=SMALL // 2, burn=True),
               two.begin("large", hold=LARGE // 2, burn=True)]
    for name in ("small", "large"):
        status, page, problem = verify(two, config, name, "--output=json")
        assert status == 0, f"{page}{problem}"
        checks = json.loads(page)["checks"]
        assert {each["result"] for each in checks} == {"ok"}
        assert {"grant", "record", "limits", "usage", "memory", "library", "inside", "preload",
                "slot", "cards"} <= {each["check"] for each in checks}
    # What both use of the card that they share, by the same way and rights.
    pods = used(two, config)
    for name, held, core in (("small", SMALL, 30), ("large", LARGE, 50)):
        assert (pods[name]["mib_held"], pods[name]["core_held"]) == (held // MIB, core), pods[name]
        assert held // 2 <= pods[name]["mib_used"] * MIB <= held, pods[name]
        assert pods[name]["core_used"] is not None and not pods[name]["note"], pods[name]
    # One more program, without the library: that is what fails, and of this pod alone.
    static = two.begin("small", hold=SMALL // 8, burn=True, program="tenant-static")
    status, page, problem = verify(two, config, "small", "--output=json")
    assert status == NOT_HELD, f"{page}{problem}"
    failed = [each for each in json.loads(page)["checks"] if each["result"] == "failed"]
    library = [each for each in failed if each["check"] == "library"]
    assert len(library) == 1 and library[0]["subject"].startswith("tenant-static ("), failed
    assert verify(two, config, "large")[0] == 0
    status, table, _ = verify(two, config, "small")
    rows = table.splitlines()[2:]  # below a sentence and the heading: what is not ok first
    assert status == NOT_HELD and len(rows) == len(json.loads(page)["checks"])
    assert any("tenant-static (" in row for row in rows[:len(failed)]), table
    for each in (*running, static):
        each.stop()


def test_verify_refuses_who_has_no_right_and_says_which_one_is_missing(two):
    config = kubeconfig(two, "passer-by")
    status, page, problem = verify(two, config, "small")
    assert (status, page) == (1, "")
    assert "HTTP 403" in problem and "agent.verifiers" in problem
    assert len(problem.strip().splitlines()) == 1
    done = subprocess.run(
        [str(PROGRAM), "top", "pods", f"--namespace={two.work.name}", f"--kubeconfig={config}"],
        check=False, text=True, capture_output=True, timeout=60)
    assert (done.returncode, done.stdout) == (1, "")
    assert "HTTP 403" in done.stderr and "agent.verifiers" in done.stderr
