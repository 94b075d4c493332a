# SPDX-License-Identifier: Apache-2.0
"""The checker itself against figures worked out by hand, so that it is known to be able to fail."""
import pathlib

import pytest

import topology_sources
from objective import Objective, Request, cards_of, ring_by_permutation

_DATA = pathlib.Path(__file__).resolve().parents[1] / "data" / "topology"

# 0-1 100 GB/s, 0-2 24, 0-3 16, 1-2 18, 1-3 20, 2-3 50; NUMA nodes unknown.
_FOUR = topology_sources.read_json(
    '{"gbps": [[0,100,24,16],[100,0,18,20],[24,18,0,50],[16,20,50,0]]}')


def test_the_best_ring_of_four_cards():
    # 0-1-3-2: 100, 20, 50, 24. 0-1-2-3: 100, 18, 50, 16. 0-2-1-3: 24, 18, 20, 16.
    assert ring_by_permutation(_FOUR.gbps, [0, 1, 2, 3]) == 20


def test_what_remains_is_what_later_pods_lose():
    # Card 3 is in use. {0,1}: 100 - 12 x (24 + 18) - 3 x (16 + 20) = -512.
    assert Objective(_FOUR).remaining(0b0011, 0b0111) == -512 * 65536


def test_an_insensitive_pod_turns_the_order_round():
    # Triple 0, 1, 2 of 60 GB/s, pair 3, 4 of 50, else 16. {0,1}: 60 - 12 x 184; {3,4}: 50 - 12 x 96.
    node = topology_sources.read_json(
        '{"gbps": [[0,60,60,16,16],[60,0,60,16,16],[60,60,0,16,16],[16,16,16,0,50],[16,16,16,50,0]]}')
    assert Objective(node).best(Request(0b11111, 2)) == 0b00011
    assert Objective(node).best(Request(0b11111, 2, sensitive=False)) == 0b11000


@pytest.mark.parametrize("name", ["topo_torus-2d.csv", "topo_cubeMesh-16.csv"])
def test_rings_by_level_equal_rings_by_permutation(name):
    node = topology_sources.read(_DATA / "mapa" / name)
    objective = Objective(node)
    for mask in range(1, objective.all, 97):
        cards = cards_of(mask)
        if len(cards) <= 7:
            assert objective.rings[mask] == ring_by_permutation(node.gbps, cards), cards


def test_a_matrix_is_read_with_its_numa_nodes():
    node = topology_sources.read(next((_DATA / "matrices").glob("01_*")))
    assert node.numa == [0, 0, 0, 0, 1, 1, 1, 1]  # from the CPU lists alone
    assert node.gbps[0] == [0, 25, 25, 50, 50, 16, 16, 16]
    assert node.nvlink[0] == {1, 2, 3, 4}
    assert topology_sources.read(next((_DATA / "matrices").glob("04_*"))).numa == [
        3, 3, 1, 1, 7, 7, 5, 5]


def test_measured_figures_come_before_classes():
    # Bidirectional, halved, the lower direction: 0-1 52.0, 0-2 104.0, 0-5 89.0.
    node = topology_sources.read(next((_DATA / "matrices").glob("21_*")))
    assert (node.gbps[0][1], node.gbps[0][2], node.gbps[0][5]) == (26, 52, 45)


def test_pairs_that_a_list_leaves_out_are_pcie():
    node = topology_sources.read(_DATA / "mapa" / "topo_dgx-v.csv")
    assert sorted(node.gbps[0]) == [0, 10, 10, 10, 25, 25, 50, 50]
