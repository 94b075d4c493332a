// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "agent/plugin/container_desk.h"
#include "base/status.h"

namespace aliquot::agent {

// The device IDs that the kubelet counts: "c0", "c1", ... for vcuda-core (1 % of a card each),
// "m0",
// ... for vcuda-memory (256 MiB each). An ID is a number in a pool and never a card: the allocator
// has chosen the card before the kubelet picks IDs. Pure functions.

inline constexpr std::string_view kCoreIdPrefix = "c";
inline constexpr std::string_view kMemoryIdPrefix = "m";
// The kubelet receives at most 4 MiB a message, and rewrites all IDs into its checkpoint at every
// change.
inline constexpr std::int64_t kMaxAdvertisedDevices = 16384;

struct AdvertisedList {
  std::vector<AdvertisedDevice> devices;  // in the order of their numbers
  std::string note;                       // one sentence where units were left out, else ""
};

// `total` IDs of which `healthy` are healthy (of 8 cards with one lost: 800 and 700). The unhealthy
// ones are taken from those that no container holds, highest numbers first, and only then from
// those in `in_use`, so that no container's status shows a fault that is not its own. `in_use` may
// hold foreign IDs. Where total is past the limit, what is over it is left out; healthy ones then
// are at most as many as are advertised. Negative numbers count as 0, healthy above total as total.
AdvertisedList AdvertisedDevices(std::string_view prefix, std::int64_t total, std::int64_t healthy,
                                 const std::vector<std::string>& in_use);

// The number of an ID in its canonical form ("c17" gives 17), or -1 for anything that
// AdvertisedDevices never makes ("m17" of another prefix, "c017", "c16384").
std::int64_t AdvertisedNumber(std::string_view prefix, std::string_view id);

}  // namespace aliquot::agent
