// SPDX-License-Identifier: Apache-2.0
#include "agent/grant/driver_limits.h"

#include <linux/magic.h>
#include <sys/vfs.h>

#include <algorithm>

namespace aliquot::agent {

std::string DriverLimitsProblem(const std::vector<GrantedCard>& cards, const Machine& machine,
                                const DriverDelivery& driver, bool cgroup_v2) {
  if (!machine.memory_limits) {
    return "needs a driver that holds control groups to an amount of memory (R615 or later), and "
           "this node's is " +
           (machine.driver.empty() ? std::string("not known") : machine.driver);
  }
  if (!cgroup_v2) {
    return "needs control groups of version 2, which this node does not have";
  }
  if (driver.way != DriverDelivery::Way::kCdi || driver.vendor == nullptr) {
    return "needs driver.delivery: cdi, since NVIDIA's toolkit sets the limit";
  }
  for (const GrantedCard& card : cards) {
    const auto& hooks = driver.vendor->memory_limits;
    const bool known = std::any_of(hooks.begin(), hooks.end(),
                                   [&](const auto& each) { return each.uuid == card.uuid; });
    if (!known) {
      return "needs the hook " + std::string(kMemoryLimitsHook) + " for card " + card.uuid +
             ", which NVIDIA's CDI specification does not have; update NVIDIA's container toolkit "
             "and write the specification anew";
    }
    if (card.mib != cards.front().mib) {
      return "needs the same amount of memory on each card, since the toolkit takes one number";
    }
  }
  return "";
}

bool HasCgroupV2(const std::string& root) {
  struct statfs facts {};
  return statfs(root.c_str(), &facts) == 0 && facts.f_type == CGROUP2_SUPER_MAGIC;
}

}  // namespace aliquot::agent
