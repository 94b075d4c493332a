# SPDX-License-Identifier: Apache-2.0
"""Documents point at things that exist."""
import re
import urllib.parse
import pathlib

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
DOCUMENTS = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])


def name(path):
    """A path as it is written in the repository."""
    return str(path.relative_to(ROOT))


def prose(document):
    """The text without blocks of code, in which brackets are no links."""
    return re.sub(r"```.*?```", "", document.read_text(), flags=re.DOTALL)


def anchors(document):
    """The anchors of a document's headings, as GitHub makes them."""
    headings = re.findall(r"^#+ (.+)$", prose(document), flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def links(document):
    """The targets of a document's relative links."""
    found = re.findall(r"\]\(([^)\s]+)\)", prose(document))
    return [each for each in found if not urllib.parse.urlsplit(each).scheme]


def make_targets():
    """The targets that the Makefile has."""
    text = (ROOT / "Makefile").read_text()
    return set(re.findall(r"^([a-z][a-z-]*):", text, flags=re.MULTILINE))


def test_the_documents_that_the_project_promises_exist():
    for each in ("README.md", "README.zh.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md", "LICENSE", "NOTICE",
                 "docs/architecture.md", "docs/threat-model.md", "docs/node.md", "docs/compatibility.md", "docs/quickstart.md",
                 "docs/choose.md", "docs/migrate/gpu-manager.md", *(f"docs/operations/{page}.md" for page in (
                     "install", "upgrade", "certificates", "troubleshooting", "capacity", "autoscaler", "gpu-operator"))):
        assert (ROOT / each).is_file(), each


@pytest.mark.parametrize("document", DOCUMENTS, ids=name)
def test_relative_links_lead_somewhere(document):
    for link in links(document):
        path, _, anchor = link.partition("#")
        target = (document.parent / urllib.parse.unquote(path)).resolve() if path else document
        assert target.exists(), f"{name(document)} links to {link}, which is not there"
        if anchor:
            assert anchor in anchors(target), f"{name(document)} links to {link}, which has no such heading"


@pytest.mark.parametrize("document", DOCUMENTS, ids=name)
def test_make_targets_that_are_named_exist(document):
    named = set(re.findall(r"^(?:make|`make) ([a-z-]+)|`make ([a-z-]+)", document.read_text(), flags=re.MULTILINE))
    for target in {first or second for first, second in named}:
        assert target in make_targets(), f"{name(document)} names make {target}, which the Makefile lacks"


def test_the_readmes_show_the_two_commands():
    for each in ("README.md", "README.zh.md"):
        text = (ROOT / each).read_text()
        assert re.search(r"^make demo ", text, flags=re.MULTILINE), each
        assert re.search(r"^make test ", text, flags=re.MULTILINE), each


def test_both_readmes_say_the_same():
    """Same sections, same links, same commands; only the words differ."""
    english, chinese = ROOT / "README.md", ROOT / "README.zh.md"
    other = {"README.zh.md": "README.md", "README.md": "README.zh.md"}
    assert sorted(links(chinese)) == sorted(other.get(each, each) for each in links(english))
    for pattern in (r"^#+ ", r"^\*\*", r"^- "):
        counts = [len(re.findall(pattern, each.read_text(), flags=re.MULTILINE)) for each in (english, chinese)]
        assert counts[0] == counts[1], pattern
    commands = [re.findall(r"^(?:kubectl|helm) .*$", each.read_text(), flags=re.MULTILINE)
                for each in (english, chinese)]
    assert commands[0] == commands[1] and len(commands[0]) > 1


def test_every_decision_is_in_the_list():
    folder = ROOT / "docs" / "adr"
    listed = set(links(folder / "README.md"))
    assert {each.name for each in folder.glob("[0-9]*.md")} == listed
