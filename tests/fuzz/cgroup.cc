// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "agent/usage/process_owner.h"
#include "tests/fuzz/fuzz_targets.h"

namespace aliquot::fuzz {

void Cgroup(std::string_view input) {
  const auto owner = agent::ParseCgroup(input);
  if (owner) {
    Require(owner->pod_uid.size() == 36 || owner->pod_uid.size() == 32);
    Require(owner->container_id.empty() || owner->container_id.size() == 64);
    Require(owner->container_id.empty() || input.find(owner->container_id) != input.npos);
  }
}

}  // namespace aliquot::fuzz
