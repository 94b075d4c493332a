# SPDX-License-Identifier: Apache-2.0
"""Sets of cards inside one node: MAPA's evaluation, our chooser beside MAPA's own policies."""

from placement.programs import ROOT, aliquotctl

TOPOLOGIES = ("dgx-v", "summit", "torus-2d", "cubeMesh-16")
PEERS = ("baseline", "topoAware", "greedy", "preserve")
# Insensitive jobs shall keep this part of what greedy gives them.
INSENSITIVE_AIM = 0.95


def measure(policy):
    """{topology: {policy: {"sensitive": {..}, "insensitive": {..}}}} over all ten job files."""
    jobs = sorted((ROOT / "bench/data/mapa").glob("jobs_seed*.csv"))
    result = {}
    for topology in TOPOLOGIES:
        result[topology] = {}
        for name in (policy, *PEERS):
            answer = aliquotctl("simulate", "--format", "mapa", "--topology",
                                ROOT / f"tests/data/topology/mapa/topo_{topology}.csv", "--pods", *jobs, "--policy", name,
                                "--output", "json")
            result[topology][name] = answer["effective_bandwidth"]
    return result


def judge(result, policy, rows):
    """Sensitive jobs as MAPA's Preserve or better, insensitive ones close to greedy."""
    for topology, policies in result.items():
        mean = {name: {kind: each[kind]["mean"] for kind in each} for name, each in policies.items()}
        rows.add(f"MAPA {topology}: sensitive jobs, effective bandwidth", mean[policy]["sensitive"], "GB/s",
                 baseline=mean["preserve"]["sensitive"], must=mean["preserve"]["sensitive"])
        rows.add(f"MAPA {topology}: insensitive jobs", mean[policy]["insensitive"], "GB/s",
                 baseline=mean["greedy"]["insensitive"], target=INSENSITIVE_AIM * mean["greedy"]["insensitive"])
