// SPDX-License-Identifier: Apache-2.0
#include "agent/grant/limits_of_grant.h"

#include <algorithm>

#include "base/strings.h"
#include "model/names.h"

namespace aliquot::agent {
namespace {

template <std::size_t N>
bool Set(char (&field)[N], const std::string& text) {
  return quota::SetText(field, N, text.data(), text.size());
}

}  // namespace

Status LimitsOfGrant(const GrantRecord& grant, quota::LimitsRecord& limits) {
  quota::InitialiseLimits(limits);
  if (grant.cards.empty() || grant.cards.size() > quota::kMaxCards) {
    return InvalidArgument("a limits record holds 1 to " + std::to_string(quota::kMaxCards) +
                           " cards, and the grant has " + std::to_string(grant.cards.size()));
  }
  const ContainerIdentity& who = grant.identity;
  limits.isolation = grant.enforcement == "library"  ? quota::Isolation::kLibrary
                     : grant.enforcement == "driver" ? quota::Isolation::kDriver
                                                     : quota::Isolation::kNone;
  bool fits = Set(limits.pod_uid, who.uid) && Set(limits.container, who.container) &&
              Set(limits.pod_name, who.key.name) &&
              Set(limits.pod_namespace, who.key.namespace_name);
  for (const GrantedCard& card : grant.cards) {
    quota::CardLimits& entry = limits.card[limits.cards++];
    fits = fits && Set(entry.uuid, card.uuid);
    const bool whole = card.core == model::kWholeCardCore;
    entry.minor = static_cast<std::uint32_t>(card.minor);
    entry.core_percent = static_cast<std::uint32_t>(card.core);
    entry.ceiling_percent = static_cast<std::uint32_t>(std::max(card.core, grant.limit));
    entry.memory_bytes = whole ? 0 : static_cast<std::uint64_t>(card.mib) << 20;
  }
  if (!fits) {
    return InvalidArgument("a name of pod " + Printable(who.key.ToString(), 320) +
                           ", its UID or a card's UUID is longer than a limits record can hold; "
                           "give the pod a shorter one");
  }
  quota::SealLimits(limits);
  return Status::Ok();
}

}  // namespace aliquot::agent
