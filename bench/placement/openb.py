# SPDX-License-Identifier: Apache-2.0
"""Packing: the openb traces through the service's decisions and through its peers."""

import statistics

from placement.programs import aliquotctl
from placement.traces import published

PEERS = ("fgd", "first-fit", "binpack")
POINTS = ("95", "100", "110", "130")
# Peers that are published are checked against the published cells first.
TOLERANCE = 0.3
# What each trace must and shall reach beside FGD at 130 %: difference to it, then the aim in percent.
OF_TRACE = {"default": (0.2, 95.78), "gpuspec33": (0.55, 96.0), "cpu250": (1.35, 95.0), "multigpu50": (-0.1, 97.4)}


def measure(traces, policies, seeds, *extra):
    """{trace: {policy: {"mean": .., "deviation": ..}}}; the policies run one after the other."""
    result = {}
    for trace, pods in traces.pods.items():
        result[trace] = {}
        for policy in policies:
            print(f"openb {trace}, {policy} {' '.join(extra)}", flush=True)
            answer = aliquotctl("simulate", "--nodes", traces.nodes, "--pods", pods, "--policy", policy, "--seeds", seeds,
                                "--output", "json", *extra)
            result[trace][policy] = {part: answer[part] for part in ("mean", "deviation")}
    return result


def mean_at(result, policy, point):
    """Over the traces."""
    return statistics.fmean(each[policy]["mean"]["allocated_percent"][point] for each in result.values())


def check_peers(result, rows):
    """FGD as rebuilt here must give what its authors published."""
    cells = published("alloc_at_130")
    for trace, policies in result.items():
        if (trace, "FGD") in cells:
            ours = policies["fgd"]["mean"]["allocated_percent"]["130"]
            theirs = cells[trace, "FGD"]
            rows.add(f"peer check: fgd @130 on {trace}, distance to the published", abs(ours - theirs), "points",
                     baseline=theirs, must=TOLERANCE, at_most=True)


def _fgd_at(result, point):
    """Per trace the higher of our run and the published cell, so that no weak rebuild flatters us."""
    cells = published("alloc_at_" + point)
    return {trace: max(policies["fgd"]["mean"]["allocated_percent"][point], cells.get((trace, "FGD"), 0.0))
            for trace, policies in result.items()}


def judge(result, policy, rows, label):
    """The policy beside FGD."""
    fgd = _fgd_at(result, "130")
    ours = {trace: policies[policy]["mean"]["allocated_percent"]["130"] for trace, policies in result.items()}
    fgd_mean = statistics.fmean(fgd.values())
    rows.add(f"{label}: mean of the traces @130", statistics.fmean(ours.values()), "%", baseline=fgd_mean,
             must=fgd_mean + 0.4, target=fgd_mean + 0.8)
    rows.add(f"{label}: furthest below FGD on one trace @130", max(fgd[t] - ours[t] for t in ours), "points",
             must=0.15, target=0, at_most=True)
    for trace, value in ours.items():
        over, aim = OF_TRACE.get(trace, (None, None))
        rows.add(f"{label}: {trace} @130", value, "%", baseline=fgd[trace],
                 must=None if over is None else fgd[trace] + over, target=aim)
    fgd95 = statistics.fmean(_fgd_at(result, "95").values())
    rows.add(f"{label}: mean of the traces @95", mean_at(result, policy, "95"), "%", baseline=fgd95, must=fgd95 - 0.1,
             target=fgd95)
    failed = {name: sum(each[name]["mean"]["failed_pods"] for each in result.values()) for name in (policy, "fgd")}
    rows.add(f"{label}: failed pods summed over the traces", failed[policy], "pods", baseline=failed["fgd"],
             must=failed["fgd"], at_most=True)


def whole_curve(result, policies, rows):
    """Every policy at every point: one figure hides early refusals."""
    for policy in policies:
        for point in POINTS:
            rows.add(f"curve of {policy}: mean of the traces @{point}", mean_at(result, policy, point), "%")
        rows.add(f"curve of {policy}: failed pods summed over the traces",
                 sum(each[policy]["mean"]["failed_pods"] for each in result.values()), "pods")


def pods_without_gpu_unseen(unseen, policy, seen, rows):
    """What it costs not to know which pods without a GPU stand on a node."""
    for name in (policy, "fgd"):
        for point in POINTS:
            rows.add(f"{name}, pods without a GPU unseen: mean of the traces @{point}", mean_at(unseen, name, point), "%",
                     baseline=mean_at(seen, name, point))
