// SPDX-License-Identifier: Apache-2.0
#include "scoring/refusal.h"

namespace aliquot::scoring {
namespace {

struct Words {
  std::string_view name;
  std::string_view sentence;
  bool could_fit_later;
};

// A switch without default, so that the compiler asks for the words of a new reason.
Words WordsOf(Refusal refusal) {
  switch (refusal) {
    case Refusal::kNone:
      return {"none", "the pod fits", true};
    case Refusal::kUnknownNode:
      return {"unknown_node", "the node is not known to aliquot-allocator", false};
    case Refusal::kNoInventory:
      return {"no_inventory", "no aliquot-agent has published the node's GPUs", false};
    case Refusal::kBadInventory:
      return {"bad_inventory", "the node's published GPU inventory is not readable", false};
    case Refusal::kLeaving:
      return {"leaving", "the node's aliquot-agent is leaving", false};
    case Refusal::kClosed:
      return {"closed", "the node runs a GPU pod without a record and takes nothing new", true};
    case Refusal::kCordoned:
      return {"cordoned", "the node is cordoned", false};
    case Refusal::kNoUsableCard:
      return {"no_usable_card", "no GPU of the node is healthy and ours to share", false};
    case Refusal::kNoSuchModel:
      return {"no_such_model", "no usable GPU of the node matches the pod's gpu-model", false};
    case Refusal::kNoSuchUuid:
      return {"no_such_uuid", "no usable GPU of the node matches the pod's gpu-uuid", false};
    case Refusal::kTooFewCards:
      return {"too_few_cards", "the node has fewer usable GPUs than the pod needs", false};
    case Refusal::kCardTooSmall:
      return {"card_too_small", "the node's GPUs have less memory than the pod needs", false};
    case Refusal::kNotOnOneCard:
      return {"not_on_one_card", "the pod fits in sum, not on one card", true};
    case Refusal::kNotEnoughFree:
      return {"not_enough_free", "not enough free GPU core or memory", true};
    case Refusal::kTooFewIdleCards:
      return {"too_few_idle_cards", "not enough idle GPUs", true};
    case Refusal::kSharersLimit:
      return {"sharers_limit", "the GPUs with room are shared by the most pods allowed", true};
    case Refusal::kNotNvlinked:
      return {"not_nvlinked", "the node has too few GPUs that are all linked by NVLink", false};
    case Refusal::kNotOneNuma:
      return {"not_one_numa", "no NUMA node has as many GPUs as the pod needs", false};
    case Refusal::kNvlinkedTaken:
      return {"nvlinked_taken", "not enough free GPUs that are all linked by NVLink", true};
    case Refusal::kNumaTaken:
      return {"numa_taken", "no NUMA node has enough free GPUs", true};
    case Refusal::kNotTogether:
      return {"not_together", "the pod's containers fit one by one, but not all together", true};
    case Refusal::kClaimed:
      return {"claimed", "the room is kept for a pod of higher priority", true};
  }
  return {"unknown", "unknown", false};
}

}  // namespace

std::string_view RefusalSentence(Refusal refusal) { return WordsOf(refusal).sentence; }

std::string_view RefusalName(Refusal refusal) { return WordsOf(refusal).name; }

bool CouldFitLater(Refusal refusal) { return WordsOf(refusal).could_fit_later; }

}  // namespace aliquot::scoring
