// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace aliquot::api {

// One row of the reply of the extender's prioritize verb; the score is 0 to 10.
// Source: k8s.io/kube-scheduler/extender/v1 HostPriorityList.
struct HostPriority {
  std::string_view host;
  int score = 0;
};

// Appends the reply to `out`. Thread-safe.
void WriteHostPriorityList(std::string& out, const std::vector<HostPriority>& list);

}  // namespace aliquot::api
