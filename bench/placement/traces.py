# SPDX-License-Identifier: Apache-2.0
"""The openb traces as plain files, and the published results."""

import csv
import gzip
import pathlib
import statistics

from placement.programs import ROOT

PACKED = ROOT / "bench/data/openb"
PREFIX = "openb_pod_list_"


class Traces:
    """Pod lists by name, and the list of nodes."""

    def __init__(self, nodes, pods):
        self.nodes = nodes
        self.pods = pods

    @classmethod
    def from_directory(cls, directory):
        """Plain CSV files that somebody else keeps."""
        directory = pathlib.Path(directory)
        pods = {path.stem[len(PREFIX):]: path for path in sorted(directory.glob(PREFIX + "*.csv"))}
        return cls(directory / "openb_node_list_gpu_node.csv", pods)

    @classmethod
    def unpacked(cls, into):
        """The project's own, unpacked into a directory."""
        into.mkdir(parents=True, exist_ok=True)
        for packed in PACKED.glob("*.csv.gz"):
            (into / packed.stem).write_bytes(gzip.decompress(packed.read_bytes()))
        return cls.from_directory(into)


def published(column):
    """{(trace, policy): mean over the published seeds} of a column of published_allocation.csv."""
    values = {}
    with open(PACKED / "published_allocation.csv", encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            values.setdefault((row["workload"], row["policy"]), []).append(float(row[column]))
    return {key: statistics.fmean(each) for key, each in values.items()}


def enlarged_nodes(nodes, count, into):
    """A list of `count` nodes: the given ones again and again, under other names."""
    with open(nodes, encoding="utf-8", newline="") as file:
        reader = csv.DictReader(file)
        fields, rows = reader.fieldnames, list(reader)
    with open(into, "w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, fields)
        writer.writeheader()
        for number in range(count):
            writer.writerow({**rows[number % len(rows)], "sn": f"node-{number:05}"})
    return into
