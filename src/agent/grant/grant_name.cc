// SPDX-License-Identifier: Apache-2.0
#include "agent/grant/grant_name.h"

#include <algorithm>

#include "agent/grant/sha256.h"
#include "base/strings.h"

namespace aliquot::agent {

std::string GrantName(std::vector<std::string> device_ids) {
  std::sort(device_ids.begin(), device_ids.end());
  return "g" + Sha256Hex(Join(device_ids, ",")).substr(0, 32);
}

}  // namespace aliquot::agent
