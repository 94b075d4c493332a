// SPDX-License-Identifier: Apache-2.0
#include "agent/plugin/device_request.h"

#include <absl/container/flat_hash_set.h>

#include "agent/plugin/advertised_devices.h"
#include "base/strings.h"

namespace aliquot::agent {
namespace {

// The device plugin protocol's own bound.
constexpr std::size_t kMaxIdLength = 63;

}  // namespace

Status CheckDeviceIds(std::string_view resource, std::string_view prefix, std::int64_t limit,
                      const std::vector<std::string>& device_ids) {
  const std::string request = "a request for " + std::string(resource);
  if (device_ids.empty()) {
    return InvalidArgument(request + " names no device ID; the kubelet names at least one");
  }
  absl::flat_hash_set<std::int64_t> seen;
  seen.reserve(device_ids.size());
  for (const std::string& id : device_ids) {
    if (id.size() > kMaxIdLength) {
      return InvalidArgument(request + " names a device ID of " + std::to_string(id.size()) +
                             " characters; at most " + std::to_string(kMaxIdLength) +
                             " are allowed");
    }
    const std::int64_t number = AdvertisedNumber(prefix, id);
    if (number < 0 || number >= limit) {
      return InvalidArgument(request + " names the device ID \"" + Printable(id) +
                             "\", which was never advertised; delete the pod to have it placed "
                             "anew");
    }
    if (!seen.insert(number).second) {
      return InvalidArgument(request + " names the device ID \"" + id +
                             "\" twice; a container holds each ID once");
    }
  }
  return Status::Ok();
}

}  // namespace aliquot::agent
