# SPDX-License-Identifier: Apache-2.0
"""What the interception library declares of NVIDIA's interface: its hooks, the driver's functions
that they call, and the types of its *_types.h headers, read from the sources."""
import pathlib
import re

_FUNCTION = re.compile(r"^ALIQUOT_(?:HOOK|DRIVER_FUNCTION)\(", re.MULTILINE)
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)


def _closing(text, start, pair):
    """Where the bracket that is open at `start` closes."""
    depth = 0
    for at in range(start, len(text)):
        depth += (text[at] == pair[0]) - (text[at] == pair[1])
        if depth == 0:
            return at
    raise ValueError(f"no {pair[1]} closes the {pair[0]} at {text[start:start + 40]!r}")


def functions(folder):
    """Name to (result, parameters) of every hook and every driver's function below the folder."""
    found = {}
    for file in sorted(pathlib.Path(folder).rglob("*.cc")):
        text = _COMMENT.sub("", file.read_text())
        for match in _FUNCTION.finditer(text):
            inner = text[match.end():_closing(text, match.end() - 1, "()")]
            result, name, parameters = (part.strip() for part in inner.split(",", 2))
            if found.setdefault(name, (result, parameters))[0] != result:
                raise ValueError(f"{file}: {name} is declared with two results")
    return found


def type_headers(folder):
    """The headers that declare NVIDIA's types."""
    return sorted(pathlib.Path(folder).glob("*_types.h"))


def _members(body, prefix=""):
    """Paths of the members of a structure's body; those of an inner union by their own names."""
    paths = []
    at = 0
    while at < len(body):
        end = body.find(";", at)
        if end < 0:
            break
        opened = body.find("{", at, end)
        if opened >= 0:
            closed = _closing(body, opened, "{}")
            end = body.index(";", closed)
            name = re.match(r"\s*(\w*)", body[closed + 1:end]).group(1)
            if name:
                paths.append(prefix + name)
            if "[" not in body[closed:end]:
                paths += _members(body[opened + 1:closed], f"{prefix}{name}." if name else prefix)
        else:
            declaration = re.sub(r"\[[^\]]*\]", "", body[at:end])
            function = re.search(r"\(\s*\*\s*(\w+)\s*\)", declaration)
            names = ([function.group(1)] if function else
                     [re.search(r"(\w+)\s*$", each).group(1) for each in declaration.split(",")])
            paths += [prefix + name for name in names]
        at = end + 1
    return paths


class Types:
    """Types, members of structures and values of enumerations of some headers."""

    def __init__(self, files):
        self.names = []
        self.members = {}
        self.values = []
        for file in files:
            self._read(_COMMENT.sub("", pathlib.Path(file).read_text()))

    def _read(self, text):
        for match in re.finditer(r"^(typedef\s+)?(struct|union|enum)\s+(\w*)\s*(?::\s*\w+\s*)?\{",
                                 text, re.MULTILINE):
            closed = _closing(text, match.end() - 1, "{}")
            body = text[match.end():closed]
            after = text[closed + 1:text.index(";", closed)]
            names = re.findall(r"\w+", after) if match.group(1) else [match.group(3)]
            self.names += [name for name in names if name]
            if match.group(2) == "enum":
                self.values += re.findall(r"(\w+)\s*=", body)
            else:
                self.members.update({name: _members(body) for name in names})
        for match in re.finditer(r"^typedef\s+[^{};]*?(\w+)\s*;", text, re.MULTILINE):
            self.names.append(match.group(1))
