# SPDX-License-Identifier: Apache-2.0
"""Three hundred pods at once on fifty nodes: nothing over-booked, nothing left out that fits."""
import random

import pytest

from harness import pods
from harness.waiting import until


def _mixed(index, dice):
    """One pod of the mix: shares, whole cards, several containers, init containers, sidecars."""
    def share(name, **more):
        return pods.container(name, core=dice.choice((10, 20, 25, 30, 40, 50, 60, 75)),
                              memory=dice.choice((15, 30, 60, 100, 160)), **more)

    name = f"pod-{index:03}"
    shape = dice.randrange(10)
    if shape < 4:
        return pods.pod(name, [share("main")])
    if shape == 4:
        return pods.pod(name, [share("first"), share("second")])
    if shape == 5:
        return pods.pod(name, [share("main")], init=[share("prepare")])
    if shape == 6:
        return pods.pod(name, [share("main")], init=[share("side", sidecar=True), share("prepare")])
    return pods.whole(name, dice.choice((1, 1, 2, 2, 4, 4, 8)))


@pytest.mark.core
def test_300_mixed_pods_on_400_cards(work):
    work.add_nodes(50, cards=8)
    dice = random.Random(20)
    work.create_all([_mixed(index, dice) for index in range(300)])
    work.wait_scheduled_or_refused(timeout=60)
    # A pod whose bind lost a race is tried again by kube-scheduler after a pause.
    ledger = until("all that fits to be placed", work.check_complete, timeout=30, every=0.5)
    placed = [each for each in work.pods()[0] if pods.node_of(each)]
    used = sum(sum(ledger.used(node)) for node in ledger.cards)
    assert len(placed) > 200 and used > 30000, f"only {len(placed)} pods, {used} % of 40000 placed"
