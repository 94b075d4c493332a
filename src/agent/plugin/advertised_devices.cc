// SPDX-License-Identifier: Apache-2.0
#include "agent/plugin/advertised_devices.h"

#include <algorithm>
#include <optional>

#include "base/strings.h"

namespace aliquot::agent {
namespace {

// Marks `wanted` of the devices unhealthy whose state of use is `in_use`, from the end; returns how
// many are still wanted.
std::int64_t MarkUnhealthy(const std::vector<bool>& used, bool in_use, std::int64_t wanted,
                           std::vector<AdvertisedDevice>& devices) {
  for (std::size_t i = devices.size(); i > 0 && wanted > 0; --i) {
    if (used[i - 1] != in_use) continue;
    devices[i - 1].healthy = false;
    --wanted;
  }
  return wanted;
}

}  // namespace

AdvertisedList AdvertisedDevices(std::string_view prefix, std::int64_t total, std::int64_t healthy,
                                 const std::vector<std::string>& in_use) {
  AdvertisedList list;
  total = std::max<std::int64_t>(total, 0);
  if (total > kMaxAdvertisedDevices) {
    list.note = "this node has " + std::to_string(total) + " units \"" + std::string(prefix) +
                "\" and advertises " + std::to_string(kMaxAdvertisedDevices) +
                ", the most that a kubelet handles well; the rest stays unused";
    total = kMaxAdvertisedDevices;
  }
  healthy = std::clamp<std::int64_t>(healthy, 0, total);
  list.devices.reserve(static_cast<std::size_t>(total));
  for (std::int64_t i = 0; i < total; ++i) {
    list.devices.push_back({std::string(prefix) + std::to_string(i), true});
  }
  if (healthy == total) return list;
  std::vector<bool> used(static_cast<std::size_t>(total), false);
  for (const std::string& id : in_use) {
    const std::int64_t number = AdvertisedNumber(prefix, id);
    if (number >= 0 && number < total) used[static_cast<std::size_t>(number)] = true;
  }
  const std::int64_t left = MarkUnhealthy(used, false, total - healthy, list.devices);
  MarkUnhealthy(used, true, left, list.devices);
  return list;
}

std::int64_t AdvertisedNumber(std::string_view prefix, std::string_view id) {
  if (!StartsWith(id, prefix)) return -1;
  const std::string_view digits = id.substr(prefix.size());
  if (digits.size() > 1 && digits.front() == '0') return -1;
  const std::optional<std::int64_t> number = ParseUnsigned(digits);
  return number && *number < kMaxAdvertisedDevices ? *number : -1;
}

}  // namespace aliquot::agent
