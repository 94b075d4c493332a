# SPDX-License-Identifier: Apache-2.0
"""What the guides tell to type: their blocks of code, and the commands in them, one a line."""
import dataclasses
import re
import shlex

import yaml

from agent_process import ROOT

GUIDES = sorted([ROOT / "README.md", ROOT / "README.zh.md", ROOT / "docs" / "quickstart.md",
                 ROOT / "docs" / "choose.md", *(ROOT / "docs" / "migrate").glob("*.md"),
                 *(ROOT / "docs" / "operations").glob("*.md")])
# What a reader puts in place of the words in capitals.
PLACEHOLDERS = {"NODE": "node-1", "NAMESPACE": "team-a", "NS": "aliquot-system", "TEAM": "team-a", "POD": "notebook",
                "REGISTRY": "registry.example", "FILE": "manifest.yaml", "AGENT-POD": "aliquot-agent-x7k2p",
                "USER": "system:kube-scheduler"}


def name(path):
    """A path as it is written in the repository."""
    return str(path.relative_to(ROOT))


def blocks(document, *languages):
    """The blocks of these languages, without the indentation that a list gives them."""
    found, inside = [], None
    for line in document.read_text().splitlines():
        fence = re.match(r"^([ \t]*)```(\w*)$", line)
        if fence and inside is None:
            inside = (fence[1], fence[2], [])
        elif fence:
            if inside[1] in languages:
                found.append("".join(each + "\n" for each in inside[2]))
            inside = None
        elif inside is not None:
            inside[2].append(line.removeprefix(inside[0]))
    assert inside is None, f"{document} has a block without an end"
    return found


def filled(text):
    """The text with something in place of its placeholders."""
    return re.sub(r"\b[A-Z][A-Z-]+\b", lambda word: PLACEHOLDERS.get(word[0], word[0]), text)


@dataclasses.dataclass(frozen=True)
class Command:
    """One program with its arguments. `piped` is true where more follows behind a pipe."""
    where: str
    words: tuple
    piped: bool

    def __str__(self):
        return f"{self.where}: {' '.join(self.words)}"


def commands(document, program):
    """Every call of a program in the blocks of shell, and in blocks without a language."""
    found = []
    for block in blocks(document, "bash", "sh", ""):
        # A quoted argument or a backslash may go on in the next line.
        for line in re.sub(r"\\\n\s*", " ", block).splitlines():
            words = _words(filled(line))
            starts = [at for at, word in enumerate(words) if word.rsplit("/", 1)[-1] == program and (
                at == 0 or words[at - 1] in ("|", "&&", ";"))]
            for at in starts:
                end = next((other for other in range(at, len(words)) if words[other] in ("|", "&&", ";", ">", "||")),
                           len(words))
                found.append(Command(name(document), tuple(words[at + 1:end]), end < len(words) or at > 0))
    return found


def _words(line):
    """The words of a line; none of one that a shell would go on reading, or that is no command."""
    line = re.sub(r"\s{3,}\S.*$", "", line) if re.match(r"^\S+ .*\S\s{3,}\S", line) and "'" not in line else line
    try:
        lexer = shlex.shlex(line, posix=True, punctuation_chars="|;&>")
        lexer.whitespace_split = True
        lexer.commenters = "#"
        return list(lexer)
    except ValueError:
        return []


def values_blocks(document):
    """The blocks of YAML that are values of the chart: mappings of keys that it has."""
    keys = set(yaml.safe_load((ROOT / "charts" / "aliquot" / "values.yaml").read_text()))
    found = []
    for block in blocks(document, "yaml"):
        whole = list(yaml.safe_load_all(block))
        if len(whole) == 1 and isinstance(whole[0], dict) and set(whole[0]) <= keys:
            found.append(filled(block))
    return found


def manifests(document):
    """The Kubernetes objects that a document shows."""
    return [each for block in blocks(document, "yaml") for each in yaml.safe_load_all(block)
            if isinstance(each, dict) and "apiVersion" in each and "kind" in each]
