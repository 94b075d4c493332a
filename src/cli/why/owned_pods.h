// SPDX-License-Identifier: Apache-2.0
#pragma once

// The pods that a Deployment, Job or the like has made. Blocking; not thread-safe.

#include <string>

#include "cli/doctor/api_reader.h"
#include "cli/why/not_created.h"

namespace aliquot::cli {

struct OwnedPods {
  std::size_t count = 0;
  std::string worst;   // the name of the one that is worth asking about; "" when there is none
  std::string newest;  // when the last one was made, RFC 3339
};

// One list of the namespace's pods. The worst is one on no node, before one that starts, has
// failed, runs with trouble, runs well, has ended well; of equals the oldest.
Result<OwnedPods> FindOwnedPods(ApiReader& reader, const std::string& namespace_name,
                                const Owner& owner);

}  // namespace aliquot::cli
