// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "http/message.h"
#include "ledger/ledger.h"
#include "ledger/pending_pods.h"
#include "scoring/placer.h"

namespace aliquot::allocator {

// GET /explain?pod=NAMESPACE/NAME. JSON that begins with "pod", "uid" and "state":
//
//   pending          then explain::ToJson's keys: where it fits now, node by node
//   reserved, bound  then "node", "source" (how its cards are known), and "containers" with their
//   cards
//
// 400 for an unusable parameter, 404 for a pod that is not known. Looks through every node for a
// bound pod: for people, not for programs that ask often.
http::Response Explain(const http::Request& request, const ledger::Ledger& ledger,
                       const ledger::PendingPods& pending, const scoring::Placer& placer);

}  // namespace aliquot::allocator
