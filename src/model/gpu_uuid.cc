// SPDX-License-Identifier: Apache-2.0
#include "model/gpu_uuid.h"

#include <algorithm>

namespace aliquot::model {

bool IsGpuUuid(std::string_view text) {
  constexpr std::size_t kMaxBytes = 96;
  return !text.empty() && text.size() <= kMaxBytes &&
         std::all_of(text.begin(), text.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                  c == '-' || c == '/' || c == '_' || c == '.';
         });
}

}  // namespace aliquot::model
