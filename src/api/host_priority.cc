// SPDX-License-Identifier: Apache-2.0
#include "api/host_priority.h"

#include "api/json_buffer.h"

namespace aliquot::api {

void WriteHostPriorityList(std::string& out, const std::vector<HostPriority>& list) {
  std::size_t size = 2;
  for (const HostPriority& row : list) {
    constexpr std::size_t kBesideName = 32;
    size += row.host.size() + kBesideName;
  }
  JsonBuffer buffer(out, size);
  buffer.Raw("[");
  bool first = true;
  for (const HostPriority& row : list) {
    buffer.Raw(first ? R"({"Host":)" : R"(,{"Host":)");
    first = false;
    buffer.String(row.host);
    buffer.Raw(R"(,"Score":)");
    buffer.Integer(row.score);
    buffer.Raw("}");
  }
  buffer.Raw("]");
  buffer.Finish();
}

}  // namespace aliquot::api
