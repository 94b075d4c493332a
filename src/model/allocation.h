// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace aliquot::model {

// The record of a pod's cards, annotation aliquot.io/allocation, version 1 (format:
// docs/reference/annotations.md). It is the authority once the pod is bound; it never changes
// after.

struct AllocatedCard {
  std::string uuid;
  int core = 0;          // percent
  std::int64_t mib = 0;  // MiB
};

struct AllocatedContainer {
  std::string name;  // unique among init and app containers of a pod
  std::vector<AllocatedCard> cards;
  int limit = 0;  // elastic ceiling in percent; 0 = none asked
  std::string isolation = "auto";
};

struct Allocation {
  std::string uid;
  std::string node;
  std::vector<AllocatedContainer> containers;
};

}  // namespace aliquot::model
