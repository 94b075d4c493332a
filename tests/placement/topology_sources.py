# SPDX-License-Identifier: Apache-2.0
"""Reads a node's links from the raw file, without any code of src/: `nvidia-smi topo -m`, with the
tables of p2pBandwidthLatencyTest in its comments, MAPA's pair lists, and matrices in JSON.

GB/s of a class: docs/reference/scoring.md, "Links".
"""
import dataclasses
import json
import math
import pathlib
import re

_GBPS = {"C2C": 450, "PIX": 24, "PXB": 22, "PHB": 20, "NODE": 18, "SYS": 16, "SOC": 16}


@dataclasses.dataclass
class Node:
    """gbps[a][b], NUMA node of each card (-1 unknown), and the cards that each reaches by NVLink."""
    gbps: list
    numa: list
    nvlink: list

    def __len__(self):
        return len(self.numa)


def _gbps_of_word(word):
    if re.fullmatch(r"NV\d+", word):
        return 25 * int(word[2:])
    return _GBPS[word]


def _lowest(cell):
    """The first number of a list such as "0,3-9", or None."""
    match = re.match(r"\d+", cell)
    return int(match.group()) if match else None


def _numa_of(cpu_lists, numa_cells):
    """NUMA nodes as stated; cards of equal CPU lists are on one node; no node stated anywhere: the CPU
    lists are numbered."""
    numa = [_lowest(cell) for cell in numa_cells]
    if all(node is None for node in numa):
        order = sorted({cell for cell in cpu_lists if _lowest(cell) is not None},
                       key=lambda cell: (_lowest(cell), cell))
        return [order.index(cell) if cell in order else -1 for cell in cpu_lists]
    known = {}
    for cell, node in zip(cpu_lists, numa):
        if node is not None and cell:
            known.setdefault(cell, node)
    return [known.get(cell, -1) if node is None else node for cell, node in zip(cpu_lists, numa)]


def _measured(text, count):
    """{(a, b): GB/s one way} of the tables in comments: bidirectional ones halved are preferred."""
    tables, title, rows = [], "", {}
    for line in text.splitlines():
        cells = line.lstrip("# ").split()
        if "idirectional" in line:
            title = line.lower()
        elif cells[:1] == ["D\\D"]:
            rows = {}
            tables.append((title, rows))
        elif len(cells) == count + 1 and cells[0].isdigit() and tables:
            rows[int(cells[0])] = [float(cell) for cell in cells[1:]]
    enabled = [table for table in tables if "disabled" not in table[0]]
    both_ways = [table for table in enabled if "bidirectional" in table[0]]
    if not enabled:
        return {}
    table, share = (both_ways[0][1], 0.5) if both_ways else (enabled[0][1], 1.0)
    return {(a, b): math.floor(share * min(table[a][b], table[b][a]) + 0.5)
            for a in range(count) for b in range(count) if a != b}


def read_matrix(text):
    """The output of `nvidia-smi topo -m`."""
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    header = lines[0].split("\t") if "\t" in lines[0] else re.split(r"\s{2,}", lines[0])
    header = [cell.strip() for cell in header if cell.strip()]
    devices = [cell for cell in header if re.fullmatch(r"(GPU|NIC)\d+|mlx\d+_\d+|\S*_\d+", cell)]
    columns = header[len(devices):]
    count = sum(cell.startswith("GPU") for cell in devices)
    words, cpus, numas = [], [], []
    for line in lines[1:1 + count]:
        cells = line.split()
        words.append(cells[1:1 + count])
        rest = cells[1 + len(devices):]
        by_column = dict(zip(columns, rest)) if len(rest) <= len(columns) else {}
        cpus.append(by_column.get("CPU Affinity", ""))
        numas.append(by_column.get("NUMA Affinity", by_column.get("NUMA", "")))
    measured = _measured(text, count)
    gbps = [[0 if a == b else measured.get((a, b), _gbps_of_word(words[a][b]))
             for b in range(count)] for a in range(count)]
    nvlink = [{b for b in range(count) if words[a][b].startswith("NV")} for a in range(count)]
    return Node(gbps, _numa_of(cpus, numas), nvlink)


def read_pairs(text):
    """MAPA's list: cards from 1, pairs that are not listed are PCIe at 10 GB/s."""
    rows = [line.split(",") for line in text.splitlines() if line and not line.startswith("#")][1:]
    count = max(int(cell) for row in rows for cell in row[:2])
    gbps = [[0 if a == b else 10 for b in range(count)] for a in range(count)]
    nvlink = [set() for _ in range(count)]
    for row in rows:
        a, b = int(row[0]) - 1, int(row[1]) - 1
        gbps[a][b] = gbps[b][a] = int(row[2])
        if "NVLink" in row[3]:
            nvlink[a].add(b)
            nvlink[b].add(a)
    return Node(gbps, [-1] * count, nvlink)


def read_json(text):
    """{"gbps": [[..]], "numa": [..], "nvlink": [[cards], ..]}, the last two optional."""
    data = json.loads(text)
    count = len(data["gbps"])
    nvlink = data.get("nvlink", [[]] * count)
    return Node(data["gbps"], data.get("numa", [-1] * count), [set(cards) for cards in nvlink])


def read(path):
    """Any of the formats, told by the file's name."""
    path = pathlib.Path(path)
    reader = {".csv": read_pairs, ".json": read_json}.get(path.suffix, read_matrix)
    return reader(path.read_text(encoding="utf-8"))
