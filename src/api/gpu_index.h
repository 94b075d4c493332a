// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace aliquot::api {

// The annotations tencent.com/predicate-gpu-idx-<i>, which gpu-manager's users and tools read: the
// minor numbers of the cards of spec.containers[i], "3" or "0,1". Pure and thread-safe.

std::string GpuIndexKey(int container_index);
// The container index of such a key; nothing for any other key.
std::optional<int> ParseGpuIndexKey(std::string_view key);

std::string FormatGpuIndexes(const std::vector<int>& minors);
// Refuses an empty list, anything but digits and commas, and an index given twice.
Result<std::vector<int>> ParseGpuIndexes(std::string_view value);

}  // namespace aliquot::api
