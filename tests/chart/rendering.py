# SPDX-License-Identifier: Apache-2.0
"""Renders charts/aliquot with the real helm."""
import pathlib
import re
import subprocess

import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
CHART = ROOT / "charts" / "aliquot"
NAMESPACE = "aliquot-system"


class Helm:
    """The helm program on this chart."""

    def __init__(self, program):
        self._program = program

    def run(self, command, *arguments):
        """Exit status, standard output and standard error of one helm command."""
        done = subprocess.run([self._program, command, *arguments], text=True, check=False, timeout=60,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        return done.returncode, done.stdout, done.stderr

    def refusal(self, *settings):
        """What helm says when it refuses these values; a failure when it takes them."""
        status, text, error = self.run("template", "aliquot", str(CHART), f"--namespace={NAMESPACE}",
                                       *_set(settings))
        assert status != 0, f"helm takes {settings}:\n{text}"
        return error

    def render(self, *settings, apis=()):
        """Every object of the chart for these values, on a cluster that serves these API versions besides Kubernetes' own."""
        status, text, error = self.run("template", "aliquot", str(CHART), f"--namespace={NAMESPACE}",
                                       *(f"--api-versions={each}" for each in apis), *_set(settings))
        assert status == 0, error
        return [each for each in yaml.safe_load_all(text) if each]


def _set(settings):
    return [f"--set={each}" for each in settings]


def one(objects, kind, name=None):
    """The only object of a kind, or the one of that name."""
    found = [each for each in objects
             if each["kind"] == kind and name in (None, each["metadata"]["name"])]
    assert len(found) == 1, f"{len(found)} objects of kind {kind} and name {name}"
    return found[0]


def granted(role):
    """(group, resource, verb) of every right of a role."""
    return {(group, resource, verb) for rule in role["rules"] for group in rule["apiGroups"]
            for resource in rule["resources"] for verb in rule["verbs"]}


def requests_in_code(program):
    """(group, resource, verb) of every request that a program's table in src/kubeclient has."""
    text = (ROOT / "src" / "kubeclient" / "verbs.h").read_text()
    rows = dict((name, fields) for name, *fields in re.findall(
        r'constexpr ApiVerb (\w+)\{"([^"]*)",\s*"([^"]*)",\s*"([^"]*)",\s*"([^"]*)"\};', text))
    table = re.search(rf"std::array k{program}Verbs\{{(.*?)\}};", text, re.DOTALL)
    assert rows and table, f"src/kubeclient/verbs.h has no table of requests of the {program}"
    used = [rows[name] for name in re.findall(r"\w+", table[1])]
    return {(group, resource + ("/" + sub if sub else ""), verb) for group, resource, sub, verb in used}
