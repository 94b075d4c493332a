# SPDX-License-Identifier: Apache-2.0
"""tools/install-dependencies.sh with stand-ins for dpkg-query, apt-get, id and sudo."""
import pathlib
import subprocess

import pytest

TOOL = pathlib.Path(__file__).resolve().parents[1] / "install-dependencies.sh"


@pytest.fixture(name="machine")
def fixture_machine(tmp_path):
    """A machine: which packages it has, who runs the script; returns status, words, apt's calls."""
    def run(*arguments, has, user=0, sudo=False):
        programs = {
            # The package asked about is the last word.
            "dpkg-query": f'for p in {" ".join(has)}; do [[ $p == "${{!#}}" ]] && '
                          "{ echo -n installed; exit; }; done; exit 1",
            "id": f"echo {user}",
            "apt-get": f'echo "$*" >> {tmp_path}/apt',
            "env": '[[ $1 == *=* ]] && shift; exec "$@"'}
        if sudo:
            programs["sudo"] = f'echo sudo >> {tmp_path}/apt; exec "$@"'
        for name, body in programs.items():
            path = tmp_path / "bin" / name
            path.parent.mkdir(exist_ok=True)
            path.write_text(f"#!/bin/bash\n{body}\n")
            path.chmod(0o755)
        done = subprocess.run([TOOL, *arguments], check=False, text=True, capture_output=True,
                              env={"PATH": str(tmp_path / "bin")})
        calls = tmp_path / "apt"
        return done.returncode, done.stderr, calls.read_text() if calls.exists() else ""
    return run


def _packages(machine, *arguments):
    """Every package the script wants, from what a machine without any is told to install."""
    _, words, _ = machine(*arguments, has=[], user=1000)
    return words.split("--no-install-recommends ")[1].split()


def test_nothing_missing_costs_no_rights(machine):
    has = _packages(machine, "--tests")
    assert machine("--tests", has=has, user=1000) == (0, "", "")


def test_installs_only_what_is_missing(machine):
    has = _packages(machine)
    status, _, calls = machine(has=[each for each in has if each != "ccache"])
    assert status == 0
    assert calls.splitlines() == ["update", "install -y --no-install-recommends ccache"]


def test_takes_sudo_when_it_is_not_root(machine):
    has = _packages(machine)
    status, _, calls = machine(has=has[1:], user=1000, sudo=True)
    assert status == 0
    assert calls.splitlines()[:2] == ["sudo", "update"]


def test_says_what_to_do_without_root_and_sudo(machine):
    status, words, calls = machine(has=[], user=1000)
    assert status == 1
    assert calls == ""
    assert "there is neither root nor sudo" in words
    assert "apt-get install --no-install-recommends g++" in words


def test_building_needs_no_test_packages(machine):
    build, tests = _packages(machine), _packages(machine, "--tests")
    assert set(build) < set(tests)
    assert "libgtest-dev" not in build
