// SPDX-License-Identifier: Apache-2.0
#include "cli/why/event.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/strings.h"
#include "cli/doctor/api_reader.h"
#include "kubeclient/api_path.h"

namespace aliquot::cli {
namespace {

using nlohmann::json;

constexpr std::chrono::seconds kTimeout{20};
constexpr std::size_t kShown = 600;
constexpr std::size_t kMaxReplyBytes = std::size_t{64} << 20;

SeenEvent Read(const json& item) {
  SeenEvent event;
  event.reason = TextAt(item, "/reason");
  event.message = TextAt(item, "/message");
  event.kind = TextAt(item, "/involvedObject/kind");
  event.name = TextAt(item, "/involvedObject/name");
  event.uid = TextAt(item, "/involvedObject/uid");
  for (const char* time :
       {"/series/lastObservedTime", "/lastTimestamp", "/eventTime", "/firstTimestamp"}) {
    // All are UTC; some have fractions of a second.
    event.last = std::max(event.last, TextAt(item, time));
  }
  return event;
}

Result<json> Page(kubeclient::Transport& transport, const Clock& clock,
                  const kubeclient::ApiRequest& request) {
  const auto result = transport.Call(request, clock.SteadyNow() + kTimeout, nullptr);
  if (result.outcome != kubeclient::CallResult::Outcome::kReply) {
    return Unavailable("events could not be read: " + result.message);
  }
  if (result.reply.status != 200) {
    return Status(
        result.reply.status == 403 ? StatusCode::kPermissionDenied : StatusCode::kUnavailable,
        "listing events in namespace " + request.namespace_name + " was answered with HTTP " +
            std::to_string(result.reply.status));
  }
  json list = json::parse(result.reply.body, nullptr, false);
  if (!list.is_object()) {
    return Unavailable("events could not be read: the API server's answer is no object");
  }
  return list;
}

}  // namespace

std::string SeenEvent::ToString() const { return reason + ": " + Printable(message, kShown); }

Result<std::vector<SeenEvent>> ListEvents(kubeclient::Transport& transport, const Clock& clock,
                                          const std::string& namespace_name,
                                          const std::string& field_selector) {
  std::vector<SeenEvent> events;
  std::string token;
  do {
    kubeclient::ApiRequest request;
    request.verb = kubeclient::kListEvents;
    request.namespace_name = namespace_name;
    request.query = "limit=500&fieldSelector=" + kubeclient::PercentEncode(field_selector);
    if (!token.empty()) {
      request.query += "&continue=" + kubeclient::PercentEncode(token);
    }
    request.max_reply_bytes = kMaxReplyBytes;
    const auto page = Page(transport, clock, request);
    if (!page.ok()) {
      return page.status();
    }
    for (const json& item : MemberAt(*page, "/items")) {
      events.push_back(Read(item));
    }
    token = TextAt(*page, "/metadata/continue");
  } while (!token.empty());
  std::stable_sort(events.begin(), events.end(),
                   [](const SeenEvent& a, const SeenEvent& b) { return a.last > b.last; });
  return events;
}

const SeenEvent* LatestOf(const std::vector<SeenEvent>& events,
                          std::initializer_list<std::string_view> reasons) {
  for (const SeenEvent& event : events) {
    if (std::find(reasons.begin(), reasons.end(), event.reason) != reasons.end()) {
      return &event;
    }
  }
  return nullptr;
}

}  // namespace aliquot::cli
