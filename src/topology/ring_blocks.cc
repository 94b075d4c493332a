// SPDX-License-Identifier: Apache-2.0
#include "topology/ring_blocks.h"

#include <cstddef>

namespace aliquot::topology {
namespace {

// The cards of `set` that can be reached from its lowest one.
CardSet FirstPiece(const std::vector<CardSet>& edges, CardSet set) {
  CardSet reached = 0;
  for (CardSet fresh = CardBit(LowestOf(set)); fresh != 0;) {
    const int card = LowestOf(fresh);
    reached |= CardBit(card);
    fresh = (fresh | (edges[static_cast<std::size_t>(card)] & set)) & ~reached;
  }
  return reached;
}

// Takes pieces apart at the cards that hold them together, until none does.
void AddBlocks(const std::vector<CardSet>& edges, CardSet piece, std::vector<CardSet>& blocks) {
  if (CountOf(piece) < 3) {
    return;
  }
  for (CardSet rest = piece; rest != 0; rest = WithoutLowest(rest)) {
    const CardSet card = CardBit(LowestOf(rest));
    CardSet left = piece & ~card;
    if (FirstPiece(edges, left) == left) {
      continue;
    }
    while (left != 0) {
      const CardSet part = FirstPiece(edges, left);
      AddBlocks(edges, part | card, blocks);
      left &= ~part;
    }
    return;
  }
  blocks.push_back(piece);
}

}  // namespace

std::vector<CardSet> RingBlocks(const std::vector<CardSet>& edges) {
  std::vector<CardSet> blocks;
  CardSet left = 0;
  for (std::size_t card = 0; card < edges.size(); ++card) {
    left |= edges[card] != 0 ? CardBit(static_cast<int>(card)) : CardSet{0};
  }
  while (left != 0) {
    const CardSet piece = FirstPiece(edges, left);
    AddBlocks(edges, piece, blocks);
    left &= ~piece;
  }
  return blocks;
}

bool HasEvenRingsOnly(const std::vector<CardSet>& edges, CardSet block) {
  CardSet here = CardBit(LowestOf(block));
  CardSet there = 0;
  CardSet visited = 0;
  while (((here | there) & ~visited) != 0) {
    const int card = LowestOf((here | there) & ~visited);
    visited |= CardBit(card);
    (Holds(here, card) ? there : here) |= edges[static_cast<std::size_t>(card)] & block;
    if ((here & there) != 0) {
      return false;
    }
  }
  return true;
}

}  // namespace aliquot::topology
