# SPDX-License-Identifier: Apache-2.0
"""Recomputes from API objects alone what every card holds, and whether a pending pod would fit.

It shares no code and no state with the allocator: what it knows is the pods' specs and annotations,
the nodes' inventories, and the resource model of the documentation. Two questions are answered:
`check` - is any card over 100 % or over its memory, and does every record agree with its pod?
`fits_somewhere` - is there, by exhaustive search, a node and a choice of cards for this pod?
"""
import collections
import json

from . import pods
from .nodes import MEMORY_UNIT_MIB

WHOLE = 100
MAX_SHARERS = 16  # pods a card, the default of limits.maxSharersPerCard

# A pod's need for one container: `cards` different cards with `core` percent and `mib` on each;
# `mib` None means all of the card's memory. `kind` is init, sidecar or app.
Need = collections.namedtuple("Need", "name kind index cards core mib")


def needs_of(pod):
    """The GPU needs of a pod in starting order: init containers and sidecars, then containers."""
    found = []
    spec = pod["spec"]
    for kind, entries in (("init", spec.get("initContainers") or []), ("app", spec["containers"])):
        for index, entry in enumerate(entries):
            limits = (entry.get("resources") or {}).get("limits") or {}
            core = int(limits.get(pods.CORE, "0"))
            memory = int(limits.get(pods.MEMORY, "0")) * MEMORY_UNIT_MIB
            if core == 0:
                continue
            restarts = kind == "init" and entry.get("restartPolicy") == "Always"
            entry_kind = "sidecar" if restarts else kind
            if core >= WHOLE:
                need = Need(entry["name"], entry_kind, index, core // WHOLE, WHOLE, None)
            else:
                count = int(pods.annotations_of(pod).get(pods.GPU_COUNT, "1"))
                need = Need(entry["name"], entry_kind, index, count, core // count, memory // count)
            found.append(need)
    return found


def peak(needs, choice, mib_of):
    """What a pod takes of each card over its life: {card: (core, mib)}.

    `choice` gives each need its cards; `mib_of` gives a card's memory. An ordinary init container
    runs alone beside the sidecars started before it; sidecars and containers stay together at the
    end.
    """
    steady = collections.defaultdict(lambda: (0, 0))
    highest = collections.defaultdict(lambda: (0, 0))
    for need, chosen in zip(needs, choice):
        for card in chosen:
            amount = mib_of[card] if need.mib is None else need.mib
            now = (steady[card][0] + need.core, steady[card][1] + amount)
            if need.kind != "init":
                steady[card] = now
            highest[card] = (max(highest[card][0], now[0]), max(highest[card][1], now[1]))
    return dict(highest)


class Card:
    """One card of a node and what the pods on it take."""

    def __init__(self, entry):
        self.uuid, self.minor, self.mib = entry[0], entry[1], entry[3]
        self.usable = entry[7] == "ok" and entry[8] in ("", "none")
        self.core_used = 0
        self.mib_used = 0
        self.pods = []


class Ledger:
    """The cards of all given nodes, charged with all given pods. Problems are collected as text."""

    def __init__(self, nodes, all_pods):
        self.problems = []
        self.cards = {}
        for node in nodes:
            text = pods.annotations_of(node).get("aliquot.io/gpu-inventory")
            entries = json.loads(text)["cards"] if text else []
            self.cards[node["metadata"]["name"]] = [Card(entry) for entry in entries]
        for pod in all_pods:
            if pods.node_of(pod) in self.cards and needs_of(pod) and not _finished(pod):
                self._charge(pod)
        self._find_overbooked()

    def _charge(self, pod):
        name, node = pod["metadata"]["name"], pods.node_of(pod)
        text = pods.annotations_of(pod).get(pods.ALLOCATION)
        if not text:
            self.problems.append(f"{name} is bound to {node} without an allocation")
            return
        record = json.loads(text)
        by_uuid = {card.uuid: card for card in self.cards[node]}
        if record["uid"] != pod["metadata"]["uid"] or record["node"] != node:
            self.problems.append(f"{name}: the record names another pod or node: {text}")
        needs = needs_of(pod)
        if set(record["containers"]) != {need.name for need in needs}:
            self.problems.append(f"{name}: the record lists other containers than the spec: {text}")
            return
        choice = []
        for need in needs:
            granted = record["containers"][need.name]["cards"]
            chosen = [entry["uuid"] for entry in granted]
            self._compare(pod, need, granted, by_uuid)
            choice.append([uuid for uuid in chosen if uuid in by_uuid])
        mib_of = {uuid: card.mib for uuid, card in by_uuid.items()}
        for uuid, (core, mib) in peak(needs, choice, mib_of).items():
            by_uuid[uuid].core_used += core
            by_uuid[uuid].mib_used += mib
            by_uuid[uuid].pods.append(name)

    def _compare(self, pod, need, granted, by_uuid):
        """The record must give what the spec asks, and the index annotation the same cards."""
        label = f"{pod['metadata']['name']}/{need.name}"
        uuids = [entry["uuid"] for entry in granted]
        if len(set(uuids)) != need.cards or len(uuids) != need.cards:
            self.problems.append(f"{label}: asked for {need.cards} cards, was given {uuids}")
        for entry in granted:
            card = by_uuid.get(entry["uuid"])
            if card is None:
                self.problems.append(f"{label}: the node has no card {entry['uuid']}")
                continue
            mib = card.mib if need.mib is None else need.mib
            if (entry["core"], entry["mib"]) != (need.core, mib):
                self.problems.append(
                    f"{label}: asked for {need.core} % and {mib} MiB, given {entry}")
        if need.kind == "app":
            text = pods.annotations_of(pod).get(f"{pods.INDEX_PREFIX}{need.index}", "")
            minors = sorted(by_uuid[uuid].minor for uuid in uuids if uuid in by_uuid)
            if sorted(int(part) for part in text.split(",") if part) != minors:
                self.problems.append(
                    f"{label}: predicate-gpu-idx says '{text}', the record {minors}")

    def _find_overbooked(self):
        for node, node_cards in self.cards.items():
            for card in node_cards:
                if (card.core_used > WHOLE or card.mib_used > card.mib
                        or len(card.pods) > MAX_SHARERS):
                    self.problems.append(
                        f"{node} card {card.minor} is over-booked: {card.core_used} %, "
                        f"{card.mib_used} of {card.mib} MiB, by {card.pods}")

    def check(self):
        """Fails with every problem found."""
        assert not self.problems, "\n".join(self.problems)

    def used(self, node):
        """Percent in use of each card of a node, in the order of its inventory."""
        return [card.core_used for card in self.cards[node]]

    def fits_somewhere(self, pod):
        """The name of a node with room for the pod by exhaustive search, or None."""
        needs = needs_of(pod)
        for node, node_cards in self.cards.items():
            if _search(needs, [card for card in node_cards if card.usable], []):
                return node
        return None


def _finished(pod):
    return (pod.get("status") or {}).get("phase") in ("Succeeded", "Failed")


def _search(needs, cards, choice):
    """Tries every different choice of cards for the needs, in order; True when one holds."""
    mib_of = {card.uuid: card.mib for card in cards}
    by_uuid = {card.uuid: card for card in cards}
    for uuid, (core, mib) in peak(needs, choice, mib_of).items():
        card = by_uuid[uuid]
        if (card.core_used + core > WHOLE or card.mib_used + mib > card.mib
                or len(card.pods) >= MAX_SHARERS):
            return False
    if len(choice) == len(needs):
        return True
    need = needs[len(choice)]
    return any(_search(needs, cards, choice + [chosen])
               for chosen in _different_sets(cards, need.cards, choice))


def _different_sets(cards, count, choice):
    """Sets of `count` cards, one of each kind: cards that look the same so far are exchangeable."""
    kinds = collections.defaultdict(list)
    for card in cards:
        given = tuple(index for index, chosen in enumerate(choice) if card.uuid in chosen)
        kinds[(card.core_used, card.mib_used, card.mib, len(card.pods), given)].append(card.uuid)
    groups = list(kinds.values())

    def pick(position, left):
        if left == 0:
            yield []
            return
        if position == len(groups):
            return
        for taken in range(min(left, len(groups[position])), -1, -1):
            for rest in pick(position + 1, left - taken):
                yield groups[position][:taken] + rest

    return pick(0, count)
