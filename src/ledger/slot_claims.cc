// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "ledger/card_uses.h"
#include "ledger/node_slot.h"

// Claims on one node: what they leave of its cards for pods of lower priority.

namespace aliquot::ledger {
void Ledger::NodeSlot::AddClaim(PlacedClaim claim) {
  RemoveClaim(claim.uid);
  claims.push_back(std::move(claim));
  ShowClaims();
}

bool Ledger::NodeSlot::RemoveClaim(std::string_view uid) {
  const auto found = std::find_if(claims.begin(), claims.end(),
                                  [uid](const PlacedClaim& claim) { return claim.uid == uid; });
  if (found == claims.end()) {
    return false;
  }
  claims.erase(found);
  ShowClaims();
  return true;
}

std::vector<scoring::CardState> Ledger::NodeSlot::CardsWithout(
    const std::vector<std::string>& uids) const {
  std::vector<model::CardUse> without = sums;
  for (const std::string& uid : uids) {
    if (const Hold* hold = Find(uid)) {
      AddUses(hold->uses, -1, without);
    }
  }
  std::vector<scoring::CardState> shown = cards;
  for (std::size_t card = 0; card < shown.size(); ++card) {
    ShowUse(without[card], shown[card]);
  }
  return shown;
}

// From the highest priority down: what the cards hold once the leaving are gone and the claims so
// far are held. Until the leaving are gone, a card is as full as it is.
void Ledger::NodeSlot::ShowClaims() {
  claimed.reset();
  if (claims.empty()) {
    return;
  }
  std::sort(claims.begin(), claims.end(), [](const PlacedClaim& a, const PlacedClaim& b) {
    return a.priority != b.priority ? a.priority > b.priority : a.uid < b.uid;
  });
  std::vector<scoring::ClaimedCards::Level> levels;
  std::vector<model::CardUse> after = sums;
  StringSet gone;  // several claims may wait for the same pod
  for (const PlacedClaim& claim : claims) {
    if (holds.contains(claim.uid)) {
      continue;  // its hold counts already
    }
    AddUses(claim.uses, +1, after);
    for (const std::string& uid : claim.leaving) {
      const Hold* hold = Find(uid);
      if (hold != nullptr && gone.insert(uid).second) {
        AddUses(hold->uses, -1, after);
      }
    }
    if (levels.empty() || levels.back().priority != claim.priority) {
      levels.push_back({claim.priority, cards});
    }
    for (std::size_t card = 0; card < cards.size(); ++card) {
      model::CardUse use;
      use.core = std::max(sums[card].core, after[card].core);
      use.mib = std::max(sums[card].mib, after[card].mib);
      use.pods = std::max(sums[card].pods, after[card].pods);
      ShowUse(use, levels.back().cards[card]);
    }
  }
  if (!levels.empty()) {
    claimed = std::make_shared<const scoring::ClaimedCards>(std::move(levels));
  }
}

}  // namespace aliquot::ledger
