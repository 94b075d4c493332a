# SPDX-License-Identifier: Apache-2.0
"""aliquotctl topology, checked from the raw pair list by brute force."""
import csv
import itertools
import xml.etree.ElementTree

import pytest
from aliquotctl import DATA, answer, run

DGX = DATA / "mapa" / "dgx-v.csv"


def _links():
    """{(a, b): GB/s}, cards from 0."""
    lines = [line for line in DGX.read_text().splitlines() if not line.startswith("#")]
    links = {}
    for row in csv.DictReader(lines):
        a, b = int(row["gpu_a"]) - 1, int(row["gpu_b"]) - 1
        links[a, b] = links[b, a] = int(row["bw_gbps"])
    return links


LINKS = _links()


def _connectedness(cards):
    """(smallest edge of the best ring, sum over pairs) of a set, by trying every order."""
    pairs = sum(LINKS.get(pair, 10) for pair in itertools.combinations(cards, 2))
    rings = [min(LINKS.get((ring[i - 1], ring[i]), 10) for i in range(len(ring)))
             for ring in itertools.permutations(cards)]
    return (max(rings) if len(cards) > 1 else 0, pairs)


@pytest.mark.parametrize("count", [1, 2, 3, 4, 5])
def test_the_ranking_is_that_of_brute_force(count):
    ranked = answer("topology", DGX, "--ranked", "--count", count, "--output", "json")
    sets = [tuple(each["set"]) for each in ranked]
    assert sorted(sets) == list(itertools.combinations(range(8), count)), "every set once"
    for each in ranked:
        terms = each["terms"]
        assert (terms["ring_gbps"], terms["pairs_gbps"]) == _connectedness(each["set"])
    keys = [_connectedness(cards) for cards in sets]
    assert keys == sorted(keys, reverse=True)


@pytest.mark.parametrize("free", ["0,1,2,3", "1,4,6", "0,2,3,5,7", "2,3,4,5,6,7"])
@pytest.mark.parametrize("count", [2, 3])
def test_the_choice_is_the_best_of_the_free_cards(free, count):
    chosen = answer("topology", DGX, "--count", count, "--free", free, "--output", "json")
    cards = [int(card) for card in free.split(",")]
    best = max(_connectedness(each) for each in itertools.combinations(cards, count))
    assert _connectedness(chosen["set"]) == best
    assert set(chosen["set"]) <= set(cards)
    scored = answer("topology", DGX, "--set", ",".join(map(str, chosen["set"])), "--free", free, "--output", "json")
    assert scored["score"] == chosen["score"]


def test_a_file_may_come_from_the_standard_input():
    done = run("topology", "-", "--count", 2, "--output", "json", text=DGX.read_text())
    assert done.returncode == 0, done.stderr
    assert done.stdout == run("topology", DGX, "--count", 2, "--output", "json").stdout


def test_the_picture_is_xml_without_scripts(tmp_path):
    picture = tmp_path / "dgx.svg"
    assert run("topology", DGX, "--count", 3, "--plot", picture).returncode == 0
    names = [element.tag.rpartition("}")[2] for element in xml.etree.ElementTree.parse(picture).iter()]
    assert names.count("rect") >= 8 + 3, "a box for each card, a frame for each chosen one"
    assert "script" not in names


@pytest.mark.parametrize("text, part", [
    ("", ""), ("nonsense\n", ""), ("gpu_a,gpu_b,bw_gbps,link\n1,1,50,DoubleNVLink\n", ", line 2: "),
    ("gpu_a,gpu_b,bw_gbps,link\n1,2,-5,SingleNVLink\n", ", line 2: ")])
def test_a_bad_file_is_one_sentence(text, part):
    done = run("topology", "-", text=text)
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1
    assert done.stderr.startswith("standard input" + part), done.stderr
