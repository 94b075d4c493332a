// SPDX-License-Identifier: Apache-2.0
#pragma once

// Reads what is known of one pod. What may not be read becomes a note, and the rest goes on.
// Blocking; not thread-safe.

#include <string>
#include <vector>

#include "base/clock.h"
#include "base/status.h"
#include "cli/why/evidence.h"
#include "kubeclient/transport.h"

namespace aliquot::cli {

// An error only when the pod itself cannot be read.
Result<PodEvidence> GatherEvidence(kubeclient::Transport& transport, const Clock& clock,
                                   const model::PodKey& key, const model::ResourceNames& names,
                                   std::vector<std::string>& notes);

}  // namespace aliquot::cli
