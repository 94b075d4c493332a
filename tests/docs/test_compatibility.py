# SPDX-License-Identifier: Apache-2.0
"""What the page of compatibility calls tested is what the end-to-end tests build and run."""
import re

from agent_process import ROOT

BINARIES = ROOT / "tests" / "e2e" / "binaries"


def module_version(name):
    """The version that a set of programs is built from."""
    return re.search(r"^require \S+ v(\S+)$", (BINARIES / name / "go.mod").read_text(), flags=re.MULTILINE)[1]


def row_of(row):
    """The cells of a table's row that say `tested`, or are in the column of that name."""
    page = (ROOT / "docs/compatibility.md").read_text()
    (cells,) = re.findall(rf"^\| {row}(.*)$", page, flags=re.MULTILINE)
    return cells


def test_the_minors_of_kubernetes_are_those_that_are_built():
    folders = sorted(each.name for each in BINARIES.glob("kubernetes-*"))
    row = row_of("API server, kube-scheduler")
    assert re.findall(r"\d\.\d+\.\d+", row.split("|")[1]) == [module_version(each) for each in folders]
    programs = (BINARIES / "build.sh").read_text()
    with_kubelet = [each for each in folders if re.search(rf"{each}\).*kubelet", programs)]
    assert re.findall(r"\d\.\d+\.\d+", row_of("kubelet ")) == [module_version(each) for each in with_kubelet]


def test_cert_manager_is_the_one_that_is_built():
    assert row_of(r"cert-manager \(").split("|")[1].split()[0] == module_version("cert-manager")


def test_the_container_runtimes_are_those_that_are_built():
    debian = re.search(r"^ *debian-containerd\) echo (\d\S+) ;;$", (BINARIES / "build.sh").read_text(), flags=re.MULTILINE)[1]
    assert row_of(f"containerd {re.escape(debian)} ").count("tested") == 1
    built, runc = (re.escape(module_version(each)) for each in ("containerd", "runc"))
    assert row_of(rf"containerd {built} with runc {runc} ").count("tested") == 2
