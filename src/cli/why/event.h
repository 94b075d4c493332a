// SPDX-License-Identifier: Apache-2.0
#pragma once

// Events of a namespace. ListEvents blocks; the rest is plain values.

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/status.h"
#include "kubeclient/transport.h"

namespace aliquot::cli {

struct SeenEvent {
  std::string reason;
  std::string message;
  std::string last;  // RFC 3339
  std::string kind;  // of the object that it is about
  std::string name;
  std::string uid;

  std::string ToString() const;  // "reason: message", for one line
};

// Those that the field selector takes, the latest first.
Result<std::vector<SeenEvent>> ListEvents(kubeclient::Transport& transport, const Clock& clock,
                                          const std::string& namespace_name,
                                          const std::string& field_selector);

// The latest event of one of these reasons; nullptr when there is none.
const SeenEvent* LatestOf(const std::vector<SeenEvent>& events,
                          std::initializer_list<std::string_view> reasons);

}  // namespace aliquot::cli
