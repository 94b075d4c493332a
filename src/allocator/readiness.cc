// SPDX-License-Identifier: Apache-2.0
#include "allocator/readiness.h"

namespace aliquot::allocator {

std::vector<std::string> Readiness::Reasons() const {
  std::vector<std::string> reasons;
  if (draining()) {
    reasons.emplace_back("draining: the process was asked to end");
  }
  if (!sync_.nodes_listed()) {
    reasons.emplace_back("not synced yet: the first list of nodes is not complete");
  }
  if (!sync_.pods_listed()) {
    reasons.emplace_back("not synced yet: the first list of pods is not complete");
  }
  return reasons;
}

}  // namespace aliquot::allocator
