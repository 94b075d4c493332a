// SPDX-License-Identifier: Apache-2.0
#pragma once

// Why a node cannot hold a pod: the reasons, their sentences and their names. Pure, thread-safe.

#include <array>
#include <string_view>

namespace aliquot::scoring {

// Why a node cannot hold a pod. The sentences are constant: kube-scheduler retries a pod at once
// whenever its refusal text changes, so no number, name or time may appear in them (figures are in
// explain).
enum class Refusal {
  kNone,          // it fits
  kUnknownNode,   // the node was never seen or is gone
  kNoInventory,   // no aliquot-agent has published its cards
  kBadInventory,  // published, but not readable
  kLeaving,       // its agent is about to go
  kClosed,        // holds a running pod without a record
  kCordoned,
  kNoUsableCard,     // every card is unhealthy or not ours
  kNoSuchModel,      // no usable card is of a model that the pod takes
  kNoSuchUuid,       // no usable card that the pod names, or all excluded
  kTooFewCards,      // fewer usable cards than the pod needs, even when empty
  kCardTooSmall,     // too few cards have that much memory, even when empty
  kNotOnOneCard,     // the sum would do, no single card does now
  kNotEnoughFree,    // not enough free core or memory now
  kTooFewIdleCards,  // enough cards, too few idle now
  kSharersLimit,     // room on a card, but it has its most sharers
  kNotTogether,      // each container fits, not all of them together
  kNotNvlinked,      // aliquot.io/link: required, and even the empty node has no such cards
  kNotOneNuma,       // aliquot.io/numa: required, likewise
  kNvlinkedTaken,    // such cards exist, not enough of them free now
  kNumaTaken,        // likewise
  kClaimed,          // room is kept for a pod of higher priority that preemption made it for
};

inline constexpr std::array<Refusal, 22> kAllRefusals = {
    Refusal::kNone,         Refusal::kUnknownNode,   Refusal::kNoInventory,
    Refusal::kBadInventory, Refusal::kLeaving,       Refusal::kClosed,
    Refusal::kCordoned,     Refusal::kNoUsableCard,  Refusal::kNoSuchModel,
    Refusal::kNoSuchUuid,   Refusal::kTooFewCards,   Refusal::kCardTooSmall,
    Refusal::kNotOnOneCard, Refusal::kNotEnoughFree, Refusal::kTooFewIdleCards,
    Refusal::kSharersLimit, Refusal::kNotTogether,   Refusal::kNotNvlinked,
    Refusal::kNotOneNuma,   Refusal::kNvlinkedTaken, Refusal::kNumaTaken,
    Refusal::kClaimed};

// One short sentence without numbers, names or times.
std::string_view RefusalSentence(Refusal refusal);
// The label value in metrics and explain, in snake_case.
std::string_view RefusalName(Refusal refusal);
// True when it could fit later, as pods end; false when only a change of the node helps
// (kube-scheduler then does not try preemption there).
bool CouldFitLater(Refusal refusal);

}  // namespace aliquot::scoring
