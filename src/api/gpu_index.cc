// SPDX-License-Identifier: Apache-2.0
#include "api/gpu_index.h"

#include <algorithm>

#include "base/strings.h"
#include "model/names.h"

namespace aliquot::api {
namespace {

constexpr std::int64_t kMaxIndex = 65535;
constexpr std::size_t kMaxIndexes = 64;

}  // namespace

std::string GpuIndexKey(int container_index) {
  return std::string(model::kGpuIndexAnnotationPrefix) + std::to_string(container_index);
}

std::optional<int> ParseGpuIndexKey(std::string_view key) {
  if (!StartsWith(key, model::kGpuIndexAnnotationPrefix)) {
    return std::nullopt;
  }
  const auto index = ParseUnsigned(key.substr(model::kGpuIndexAnnotationPrefix.size()));
  if (!index || *index > kMaxIndex) {
    return std::nullopt;
  }
  return static_cast<int>(*index);
}

std::string FormatGpuIndexes(const std::vector<int>& minors) {
  std::string text;
  for (const int minor : minors) {
    text += text.empty() ? "" : ",";
    text += std::to_string(minor);
  }
  return text;
}

Result<std::vector<int>> ParseGpuIndexes(std::string_view value) {
  const auto refuse = [value](const char* remedy) {
    return InvalidArgument("the GPU indexes are \"" + Printable(value) + "\"; " + remedy);
  };
  std::vector<int> minors;
  for (const std::string_view part : Split(value, ',')) {
    const auto minor = ParseUnsigned(part);
    if (!minor || *minor > kMaxIndex) {
      return refuse("write minor numbers separated by commas, such as 0,1");
    }
    if (std::find(minors.begin(), minors.end(), *minor) != minors.end()) {
      return refuse("write each index once");
    }
    if (minors.size() == kMaxIndexes) {
      return refuse("write at most 64 indexes");
    }
    minors.push_back(static_cast<int>(*minor));
  }
  return minors;
}

}  // namespace aliquot::api
