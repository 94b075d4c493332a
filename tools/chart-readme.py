#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Writes charts/aliquot/README.md: the table of values, from the comments of values.yaml.

    chart-readme.py            writes it
    chart-readme.py --check    exit status 1 when it is not what the comments say

Every key has its comment above it, with nothing between; the text before the first empty line of the
file is the table's introduction.
"""
import json
import pathlib
import re
import sys

import yaml

CHART = pathlib.Path(__file__).resolve().parents[1] / "charts" / "aliquot"
_KEY = re.compile(r"^( *)([A-Za-z][\w.-]*):(.*)$")
_HEAD = """<!-- Written by tools/chart-readme.py from Chart.yaml and values.yaml; do not edit. -->
# Chart aliquot

{description}. Kubernetes {kube_version}.

    helm install aliquot charts/aliquot --namespace aliquot-system --create-namespace

[Installing](../../docs/operations/install.md) says what has to be there before, [upgrading](../../docs/operations/upgrade.md) what stays as it
is, [certificates](../../docs/operations/certificates.md) what is made and renewed.

{introduction}

| value | default | meaning |
|---|---|---|
"""


def rows(text):
    """(dotted key, default or None for a section, comment) of every key, in the file's order.

    Below a key whose default is written over several lines or as a flow value nothing is a key.
    """
    values = yaml.safe_load(text)
    path, comment, found = [], [], []
    for number, line in enumerate(text.splitlines(), 1):
        stripped = line.strip()
        if stripped.startswith("#"):
            comment.append(stripped[1:].strip())
            continue
        if not stripped:
            comment = []
            continue
        match = _KEY.match(line)
        assert match and comment, f"values.yaml:{number}: a key without a comment above it: {line}"
        depth = len(match[1]) // 2
        path = path[:depth] + [match[2]]
        value = values
        for part in path:
            value = value[part]
        section = isinstance(value, dict) and value and not match[3].strip()
        found.append((".".join(path), None if section else value, " ".join(comment)))
        comment = []
    return found


def _cell(text):
    return text.replace("|", "\\|").replace("<", "&lt;")


def render():
    """The whole page."""
    text = (CHART / "values.yaml").read_text()
    chart = yaml.safe_load((CHART / "Chart.yaml").read_text())
    introduction, _, rest = text.partition("\n\n")
    page = _HEAD.format(description=chart["description"],
                        kube_version=chart["kubeVersion"].replace("-0", ""),
                        introduction=" ".join(line.lstrip("# ") for line in introduction.splitlines()))
    for key, default, comment in rows(rest):
        shown = "" if default is None else f"`{json.dumps(default)}`"
        page += f"| `{key}` | {_cell(shown)} | {_cell(comment)} |\n"
    return page


def main(arguments):
    """Writes or checks."""
    target = CHART / "README.md"
    page = render()
    if arguments == ["--check"]:
        if not target.exists() or target.read_text() != page:
            print(f"{target} is not what values.yaml says; run tools/chart-readme.py", file=sys.stderr)
            return 1
        return 0
    if arguments:
        print("usage: chart-readme.py [--check]", file=sys.stderr)
        return 2
    target.write_text(page)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
