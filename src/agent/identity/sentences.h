// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "agent/grant/identity.h"
#include "agent/grant/refusal.h"
#include "agent/identity/match.h"
#include "agent/identity/node_pod.h"
#include "base/status.h"

namespace aliquot::agent {

// The refusals of the resolver, one sentence each. Pure; the same words for the same state. `ids`
// are sorted.

Refusal NoIds();
Refusal IdTwice(std::string_view id);
Refusal PodsNotKnown(std::string_view node);
Refusal NobodysIds(const std::vector<std::string>& ids, std::string_view node);
Refusal PodNotShown(const Match& match);
Refusal PodHasEnded(const NodePod& pod);
Refusal IdsOfSeveral(const Match& match);
Refusal NotAContainerOf(const NodePod& pod, std::string_view resource);
Refusal StatusIsBehind(const NodePod& pod, std::string_view container);
Refusal ListedOtherwise(const ContainerIdentity& identity);
// Several containers may have the IDs, and there is no checkpoint to say which do.
Refusal SharedIdsUntold(const NodePod& pod);
// Neither the checkpoint nor PodResources tells. `checkpoint` is the former's error.
Refusal NothingTells(const Status& checkpoint, std::string_view node);

}  // namespace aliquot::agent
