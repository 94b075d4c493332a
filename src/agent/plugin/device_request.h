// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace aliquot::agent {

// Is this a request for device IDs that a kubelet can mean? It is not if it names no ID, one of
// more than 63 characters, one twice, or one that is not `prefix` and a number below `limit`.
// kInvalidArgument with one sentence, the first fault in the order of the request; `resource` is
// named in it.
//
// The limits differ: Allocate takes only what was advertised. PreStartContainer takes any ID that
// could have been (kMaxAdvertisedDevices): a container keeps its IDs for life, while a node that
// was restarted with a card less advertises fewer.
Status CheckDeviceIds(std::string_view resource, std::string_view prefix, std::int64_t limit,
                      const std::vector<std::string>& device_ids);

}  // namespace aliquot::agent
