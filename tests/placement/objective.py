# SPDX-License-Identifier: Apache-2.0
"""The objective of docs/reference/scoring.md, "The best set", by brute force: every ring, every set.

A set is a bit mask, bit i is card i. Nothing here comes from src/.
"""
import dataclasses
import functools
import itertools


@dataclasses.dataclass(frozen=True)
class Request:
    """What is asked; `free` is a mask."""
    free: int
    count: int
    sensitive: bool = True
    all_nvlink: bool = False
    one_numa: bool = False
    split_well: bool = False


def cards_of(mask):
    """Ascending indices."""
    return [card for card in range(mask.bit_length()) if mask >> card & 1]


def ring_by_permutation(gbps, cards):
    """The smallest edge of the best ring; of a pair, its link; of one card or none, 0."""
    if len(cards) < 2:
        return 0
    first, rest = cards[0], cards[1:]
    best = 0
    for order in itertools.permutations(rest):
        if order[0] > order[-1]:
            continue  # the same ring the other way round
        ring = (first, *order, first)
        best = max(best, min(gbps[a][b] for a, b in zip(ring, ring[1:])))
    return best


class Objective:
    """Tables by mask of one node, filled by plain recurrences."""

    def __init__(self, node):
        self.node = node
        self.count = len(node)
        self.all = (1 << self.count) - 1
        self.pairs = self._sums(lambda a, b: node.gbps[a][b])
        self.worth = self._sums(self._worth)
        self.numa_nodes = [len({node.numa[card] for card in cards_of(mask)})
                           for mask in range(self.all + 1)]
        self.one_numa = [len(cards) < 2 or len({node.numa[card] for card in cards}) == 1
                         and node.numa[cards[0]] >= 0
                         for cards in map(cards_of, range(self.all + 1))]
        nvlink = [sum(1 << card for card in cards) for cards in node.nvlink]
        self.nvlink = [all(mask & ~nvlink[card] == 1 << card for card in cards_of(mask))
                       for mask in range(self.all + 1)]
        self.rings = self._rings_by_level() if self.count > 8 else [
            ring_by_permutation(node.gbps, cards_of(mask)) for mask in range(self.all + 1)]

    def _worth(self, a, b):
        numa = self.node.numa
        return 65536 * self.node.gbps[a][b] + (numa[a] == numa[b] and numa[a] >= 0)

    def _sums(self, figure):
        sums = [0] * (self.all + 1)
        for mask in range(1, self.all + 1):
            top = mask.bit_length() - 1
            rest = mask ^ (1 << top)
            sums[mask] = sums[rest] + sum(figure(card, top) for card in cards_of(rest))
        return sums

    def _rings_by_level(self):
        """For each different GB/s: which sets are a ring of edges that have at least that much?"""
        levels = sorted({self.node.gbps[a][b] for a in range(self.count) for b in range(a)})
        rings = [0] * (self.all + 1)
        for level in levels:
            linked = [sum(1 << b for b in range(self.count)
                          if a != b and self.node.gbps[a][b] >= level) for a in range(self.count)]
            ends = [0] * (self.all + 1)  # where a path over the set can end that starts at its lowest
            for mask in range(1, self.all + 1):
                lowest = mask & -mask
                start = lowest.bit_length() - 1
                if mask == lowest:
                    ends[mask] = lowest
                    continue
                rest = mask ^ lowest
                found = 0
                while rest:
                    bit = rest & -rest
                    rest ^= bit
                    if ends[mask ^ bit] & linked[bit.bit_length() - 1]:
                        found |= bit
                ends[mask] = found
                if found & linked[start]:
                    rings[mask] = level
        return rings

    def remaining(self, mask, free):
        """What the set's pairs are worth to the pod, and the change of what all pairs are worth to the
        next one, in sixteenths; written with the sums across two groups of cards."""
        used, left = self.all & ~free, free & ~mask

        def across(a, b):
            return self.worth[a | b] - self.worth[a] - self.worth[b]
        return self.worth[mask] - 12 * across(mask, left) - 3 * across(mask, used)

    def allows(self, request, mask):
        """May this set be the answer?"""
        return (not request.all_nvlink or self.nvlink[mask]) and (
            not request.one_numa or self.one_numa[mask])

    def terms(self, mask, request):
        """Larger is better, first term first; ties go to the lowest indices."""
        ring = self.rings[mask]
        connected = (ring, self.pairs[mask], -self.numa_nodes[mask])
        remaining = self.remaining(mask, request.free)
        if not request.sensitive:
            return (remaining, *connected)
        if self.splits(request):
            return (ring + self.rings[request.free & ~mask], remaining, *connected)
        return (*connected, remaining)

    def splits(self, request):
        """Does the pod take the larger part of an empty node, and was it asked to split it well?"""
        return request.split_well and request.free == self.all and 2 * request.count > self.count

    @functools.lru_cache(maxsize=None)
    def subsets(self, free, count):
        """In the order of their indices."""
        return [sum(1 << card for card in cards)
                for cards in itertools.combinations(cards_of(free), count)]

    def best(self, request):
        """The best set, 0 when there is none."""
        best, best_terms = 0, ()
        for mask in self.subsets(request.free, request.count):
            if self.allows(request, mask):
                terms = self.terms(mask, request)
                if best == 0 or terms > best_terms:
                    best, best_terms = mask, terms
        return best
