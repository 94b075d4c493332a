// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "api/admission_wire.h"
#include "base/status.h"
#include "model/names.h"

namespace aliquot::admission {

// What the mutating webhook needs to know. Immutable after start; the functions must be
// thread-safe.
struct MutateOptions {
  model::ResourceNames names;
  // For a GPU pod that names no scheduler or the cluster's default; "" leaves the pod's own.
  std::string scheduler_name;
  // Memory of the largest card of any known inventory, in MiB; nothing while none is known. Only a
  // warning hangs on it: cards may come later.
  std::function<std::optional<std::int64_t>()> largest_card_mib;
  // Host directories that a GPU pod has no business in; mounting one, or what holds one, is warned
  // about.
  std::vector<std::string> guarded_host_paths = {"/run/aliquot", "/var/run/aliquot",
                                                 "/var/lib/aliquot", "/var/lib/kubelet"};
};

// Whether the review is of a pod being created.
bool IsPodCreation(const api::ReviewRequest& request);

// Decides a review of the mutating webhook: allowed, with an RFC 6902 patch and warnings, or
// refused with one sentence (code 422 Invalid for a value that is wrong, 403 Forbidden for what a
// GPU pod may not do). Pure and thread-safe; no effect outside, so a dry run is like any other.
//
// Only the CREATE of a pod of which a container names a resource of our prefix is looked at;
// everything else is allowed unchanged. The patch is idempotent: applied once, a second review
// patches nothing. A mirror pod only loses what it forged of ours: refusing it would stop nothing,
// and the node agent refuses its containers.
//
// The error (not a refusal) is for a review that is no Pod at all: the caller answers HTTP 400 with
// it.
Result<api::ReviewResponse> MutatePod(const api::ReviewRequest& request,
                                      const MutateOptions& options);

}  // namespace aliquot::admission
