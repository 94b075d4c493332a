// SPDX-License-Identifier: Apache-2.0
#include "api/host_priority.h"

#include "api/json_writer.h"

namespace aliquot::api {

void WriteHostPriorityList(std::string& out, const std::vector<HostPriority>& list) {
  constexpr std::size_t kUsualRow = 80;
  out.reserve(out.size() + list.size() * kUsualRow);
  out += '[';
  bool first = true;
  for (const HostPriority& row : list) {
    out += first ? R"({"Host":)" : R"(,{"Host":)";
    first = false;
    AppendJsonString(out, row.host);
    out += R"(,"Score":)";
    out += std::to_string(row.score);
    out += '}';
  }
  out += ']';
}

}  // namespace aliquot::api
