// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "agent/gpu/machine.h"
#include "agent/grant/driver_delivery.h"
#include "agent/grant/grant_plan.h"
#include "agent/grant/grant_record.h"
#include "agent/grant/identity.h"
#include "agent/grant/library_shelf.h"
#include "agent/grant/refusal.h"
#include "base/status.h"

namespace aliquot::agent {

// What is said of a card besides its numbers.
struct CardStanding {
  std::string health = "ok";  // one word, as in the inventory
  std::string mode;           // "" or "none" = ours to share; else why not ("mig", "foreign")
};

// The grants that live: their pods are neither finished nor deleted.
using LiveList = std::vector<std::shared_ptr<const GrantRecord>>;

// Everything that a decision depends on besides the device IDs and who asks. Plain values; the
// pointers outlive the call.
struct GrantFacts {
  std::string node_name;
  const Machine* machine = nullptr;
  // By UUID. A card of the machine without an entry has not been judged yet and is not given.
  const std::map<std::string, CardStanding, std::less<>>* standing = nullptr;
  const LiveList* live = nullptr;
  // OK when the signature is one of exactly that text; empty = no keys are configured.
  std::function<Status(std::string_view text, std::string_view signature)> verify;
  DriverDelivery driver;
  PublishedLibrary library;  // of no version: nothing is enforced
  bool cgroup_v2 = false;    // of this node, which the driver's own limits need
  bool allow_none = false;   // configuration enforcement.allowNone
};

// Whether a container may have the cards that its pod's record names, and what to make for it. It
// obeys the record or refuses; it never chooses. Rules and their order: docs/reference/grant.md.
//
// Pure; equal arguments give equal answers, byte for byte. `device_ids` are those of
// PreStartContainer, 1 ID = 1 % of a card.
Granted<GrantPlan> DecideGrant(const std::vector<std::string>& device_ids,
                               const ContainerIdentity& identity, const GrantFacts& facts);

// Whether the start of `starting` shows that the container of `live` runs no more: it is the same
// container; an ordinary init container that comes before; or, when `starting` is an ordinary init
// container, one that comes after (the pod's sandbox was made anew).
bool EndsAtStartOf(const ContainerIdentity& live, const ContainerIdentity& starting);

}  // namespace aliquot::agent
