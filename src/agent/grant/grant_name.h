// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace aliquot::agent {

// The name of the grant for a set of device IDs: "g" and the first 32 hex digits of the SHA-256 of
// the sorted IDs joined by commas. A function of the set alone, since the kubelet repeats the set
// and nothing else between Allocate and PreStartContainer. The kubelet's checkpoint keeps paths
// made of it: this rule never changes.
std::string GrantName(std::vector<std::string> device_ids);

}  // namespace aliquot::agent
