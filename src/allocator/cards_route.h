// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "http/message.h"
#include "ledger/ledger.h"

namespace aliquot::allocator {

// GET /cards: what is taken of every card at one instant, nodes by name.
//
//   {"nodes": [{"name": "dgx-0", "cordoned": false, "closed": false,
//               "cards": [{"minor": 0, "uuid": "GPU-..", "model": "A100-SXM4-80GB", "usable": true,
//                          "core_used": 100, "mib_used": 81920, "mib_total": 81920, "pods": 1}]}]}
http::Response Cards(const ledger::Ledger& ledger);

}  // namespace aliquot::allocator
