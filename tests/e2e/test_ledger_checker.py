# SPDX-License-Identifier: Apache-2.0
"""The suite's own judge must be able to condemn: here it is tried on made-up objects."""
import json

import pytest

from harness import nodes, pods
from harness.ledger_checker import Ledger


def bound(name, containers, granted, init=(), node="n", uid=None):
    """A bound pod whose record gives each container the cards listed in `granted`."""
    built = pods.pod(name, containers, init=init)
    built["metadata"]["uid"] = uid or name
    built["spec"]["nodeName"] = node
    record = {"v": 1, "uid": name, "node": node, "containers": {}}
    annotations = built["metadata"]["annotations"] = {}
    for entry in list(init) + list(containers):
        limits = entry["resources"]["limits"]
        core, memory = int(limits[pods.CORE]), int(limits.get(pods.MEMORY, 0)) * 256
        record["containers"][entry["name"]] = {"cards": [
            {"uuid": f"GPU-n-{card}", "core": min(core, 100), "mib": memory or nodes.CARD_MIB}
            for card in granted[entry["name"]]], "limit": 0, "isolation": "auto"}
    for index, entry in enumerate(containers):
        annotations[f"{pods.INDEX_PREFIX}{index}"] = ",".join(map(str, granted[entry["name"]]))
    annotations[pods.ALLOCATION] = json.dumps(record)
    return built


def ledger(*all_pods, cards=2):
    """A ledger of one node."""
    return Ledger([nodes.node("n", "g", cards)], all_pods)


def test_a_correct_pod_is_charged_once():
    made = ledger(bound("a", [pods.container(core=20, memory=15)], {"main": [1]}))
    made.check()
    assert made.used("n") == [0, 20]


def test_overbooked_percent_and_memory_are_found():
    twice = [bound(name, [pods.container(core=60, memory=1)], {"main": [0]}) for name in "ab"]
    with pytest.raises(AssertionError, match="card 0 is over-booked: 120 %"):
        ledger(*twice).check()
    twice = [bound(name, [pods.container(core=1, memory=200)], {"main": [0]}) for name in "ab"]
    with pytest.raises(AssertionError, match="over-booked: 2 %, 102400 of 81920 MiB"):
        ledger(*twice).check()


def test_a_record_that_differs_from_spec_uid_or_index_is_found():
    wrong = bound("a", [pods.container(core=20, memory=15)], {"main": [1]})
    wrong["spec"]["containers"][0]["resources"]["limits"][pods.CORE] = "30"
    with pytest.raises(AssertionError, match="asked for 30 % and 3840 MiB"):
        ledger(wrong).check()
    with pytest.raises(AssertionError, match="names another pod"):
        ledger(bound("a", [pods.container(core=20, memory=15)], {"main": [1]}, uid="other")).check()
    wrong = bound("a", [pods.container(core=20, memory=15)], {"main": [1]})
    wrong["metadata"]["annotations"][f"{pods.INDEX_PREFIX}0"] = "0"
    with pytest.raises(AssertionError, match="predicate-gpu-idx says '0', the record"):
        ledger(wrong).check()
    with pytest.raises(AssertionError, match="asked for 2 cards"):
        ledger(bound("a", [pods.container(core=200)], {"main": [1]})).check()
    missing = pods.share("a")
    missing["spec"]["nodeName"] = "n"
    with pytest.raises(AssertionError, match="without an allocation"):
        ledger(missing).check()


def test_a_pod_counts_its_peak_and_not_its_sum():
    made = ledger(bound("a", [pods.container(core=30, memory=10)], {"main": [0], "prepare": [0]},
                        init=[pods.container("prepare", core=80, memory=20)]))
    made.check()
    assert made.used("n") == [80, 0]
    made = ledger(bound("a", [pods.container(core=30, memory=10)],
                        {"main": [0], "side": [0], "prepare": [0]},
                        init=[pods.container("side", core=20, memory=1, sidecar=True),
                              pods.container("prepare", core=60, memory=20)]))
    made.check()
    assert made.used("n") == [80, 0]


def test_finished_pods_hold_nothing():
    done = bound("a", [pods.container(core=90, memory=15)], {"main": [0]})
    done["status"] = {"phase": "Succeeded"}
    assert ledger(done).used("n") == [0, 0]


def test_the_fit_check_is_exact():
    taken = [bound("a", [pods.container(core=60, memory=1)], {"main": [0]}),
             bound("b", [pods.container(core=50, memory=1)], {"main": [1]})]
    made = ledger(*taken)
    assert made.fits_somewhere(pods.share("p", core=50, memory=1)) == "n"
    assert made.fits_somewhere(pods.share("p", core=51, memory=1)) is None
    assert made.fits_somewhere(pods.share("p", core=50, memory=320)) is None
    assert made.fits_somewhere(pods.whole("p")) is None
    # 40 must go to card 0 for 50 to have card 1: the first choice that fits is the wrong one.
    for core, found in ((40, "n"), (41, None)):
        pair = pods.pod("p", [pods.container("x", core=core, memory=1),
                              pods.container("y", core=50, memory=1)])
        assert made.fits_somewhere(pair) == found
    assert ledger(cards=4).fits_somewhere(pods.whole("p", 4)) == "n"
    assert ledger(cards=4).fits_somewhere(pods.whole("p", 5)) is None


def test_an_unhealthy_card_has_no_room():
    node = nodes.node("n", "g", 1)
    node["metadata"]["annotations"]["aliquot.io/gpu-inventory"] = nodes.inventory(
        "n", 1, entries=nodes.cards("n", 1, health="xid79"))
    assert Ledger([node], []).fits_somewhere(pods.share("p")) is None
