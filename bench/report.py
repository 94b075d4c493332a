# SPDX-License-Identifier: Apache-2.0
"""The report of make bench: best of the runs, rows with baseline and target, and the table."""

_VERBS = ("filter", "prioritize", "bind")
# Absolute aims of the design; shown beside the figures, they judge nothing.
_AIMS_US = {("filter", "p50"): 1000, ("filter", "p99"): 5000, ("prioritize", "p50"): 300, ("bind", "p50"): 300}


def _best(runs, *path):
    """The smallest value over the runs: noise only ever adds."""
    values = []
    for run in runs:
        value = run
        for key in path:
            value = value[key]
        values.append(value)
    return min(values)


def _verb(runs, verb):
    return {kind: {rank: _best(runs, verb, kind, rank) for rank in ("p50", "p99", "max")}
            for kind in ("server_us", "client_us")}


def _rows(result):
    rows = []

    def add(name, value, unit, baseline=None, target=None):
        rows.append({"name": name, "value": value, "unit": unit, "baseline": baseline, "target": target})

    for verb in _VERBS:
        for rank in ("p50", "p99", "max"):
            baseline = result["baseline_filter_us"].get(rank) if verb == "filter" else None
            add(f"{verb} server time {rank}", result[verb]["server_us"][rank], "us", baseline,
                _AIMS_US.get((verb, rank)))
    add("filter speedup over the plain way", result["filter_speedup"], "x")
    add("pods per second, serial", result["pods_per_second"]["serial"], "1/s")
    add("pods per second, 16 binds at a time", result["pods_per_second"]["parallel16"], "1/s")
    add("memory at 5,000 nodes", result["rss_mb"], "MB", None, 200)
    add("start to ready, 50,000 pods", result["ready_s"], "s", None, 5)
    idle = result["idle_connections"]
    add("processor with 200 idle connections", idle["cpu_percent"], "% of a core", idle["cpu_percent_without"])
    for row in result["scaling"]:
        add(f"filter p50 at {row['nodes']} nodes", row["filter_p50_us"], "us")
    for row in result["e2e"]:
        add(f"end to end at {row['nodes']} nodes", row["pods_per_second"], "pods/s",
            row["alone_pods_per_second"], round(0.8 * row["alone_pods_per_second"], 1))
    return rows


def build(runs, scaling, idle, ready, e2e):
    """Everything as out/bench/scheduler.json holds it (docs/reference/bench.md)."""
    result = {verb: _verb(runs, verb) for verb in _VERBS}
    result["baseline_filter_us"] = {rank: _best(runs, "baseline_filter_us", rank) for rank in ("p50", "p99")}
    # Ratios are taken within a run, then the median of them.
    ratios = sorted(run["baseline_filter_us"]["p50"] / run["filter"]["server_us"]["p50"] for run in runs)
    result["filter_speedup"] = round(ratios[len(ratios) // 2], 1)
    result["pods_per_second"] = {"serial": round(max(run["pods_per_second"] for run in runs), 1),
                                 "parallel16": round(max(run["parallel16"] for run in runs), 1)}
    result["rss_mb"] = round(max(run["rss_mb"] for run in runs), 1)
    result["ready_s"] = ready
    result["idle_connections"] = idle
    result["scaling"] = scaling
    result["e2e"] = e2e
    result["rows"] = _rows(result)
    return result


def print_table(result):
    """The rows for a person."""
    print(f"\n{'figure':42} {'value':>10} {'unit':12} {'baseline':>10} {'aim':>8}")
    for row in result["rows"]:
        cells = ["" if row[key] is None else f"{row[key]:g}" for key in ("value", "baseline", "target")]
        print(f"{row['name']:42} {cells[0]:>10} {row['unit']:12} {cells[1]:>10} {cells[2]:>8}")
