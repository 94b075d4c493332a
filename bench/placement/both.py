# SPDX-License-Identifier: Apache-2.0
"""Packing and links at once: every node of the trace gets links between its cards."""


from placement.openb import mean_at
from placement.programs import ROOT

# The first rule that fits a node holds; a node with fewer cards than the matrix has its first ones.
_MATRICES = (("V100", "01_dgx1v_class_8xV100-SXM2-16GB_xeon5118.txt"), ("8", "18_8xRTX4090_node-sys_2numa.txt"),
             ("4", "16_4gpu_nv4-pairs_1nic_2numa.txt"))


def flags():
    """Which nodes have which links."""
    words = []
    for which, name in _MATRICES:
        words += ["--matrix", f"{which}={ROOT / 'tests/data/topology/matrices' / name}"]
    return words


def judge(linked, unlinked, policy, rows):
    """Sets of cards near the best that was free on their node, and packing as without links."""
    multi = [each[policy]["mean"]["multi_card"] for each in linked.values()]
    pods = sum(each["pods"] for each in multi)
    of_best = sum(each["pods"] * each["ring_of_best"] for each in multi) / pods
    rows.add("both: ring of multi-card pods, part of the best free on the node", 100 * of_best, "%", must=98)
    before, after = mean_at(unlinked, policy, "130"), mean_at(linked, policy, "130")
    rows.add("both: mean of the traces @130 with links", after, "%", baseline=before, must=before - 0.1)
    rows.add("both: failed pods summed over the traces, with links",
             sum(each[policy]["mean"]["failed_pods"] for each in linked.values()), "pods",
             baseline=sum(each[policy]["mean"]["failed_pods"] for each in unlinked.values()))
    rows.add("both: lowest part of the best on one trace",
             100 * min(each["ring_of_best"] for each in multi), "%")
