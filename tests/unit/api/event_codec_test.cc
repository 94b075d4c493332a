// SPDX-License-Identifier: Apache-2.0
#include "api/event_codec.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace aliquot::api {
namespace {

using nlohmann::json;

Event SomeEvent() {
  Event event;
  event.namespace_name = "ns";
  event.name = "p.17c";
  event.time = SystemTime(std::chrono::seconds(1));
  event.reporting_controller = "aliquot.io/allocator";
  event.reporting_instance = "allocator-0";
  event.action = "Stamp";
  event.reason = "NoRoom";
  event.note = "node n1 has no room";
  event.warning = true;
  event.regarding = {"v1", "Pod", "ns", "p", "u-1"};
  return event;
}

TEST(FormatEvent, HasEveryRequiredField) {
  EXPECT_EQ(json::parse(FormatEvent(SomeEvent())),
            json::parse(R"({"apiVersion":"events.k8s.io/v1","kind":"Event",
      "metadata":{"name":"p.17c","namespace":"ns"},"eventTime":"1970-01-01T00:00:01.000000Z",
      "reportingController":"aliquot.io/allocator","reportingInstance":"allocator-0","action":"Stamp","reason":"NoRoom",
      "type":"Warning","note":"node n1 has no room",
      "regarding":{"apiVersion":"v1","kind":"Pod","namespace":"ns","name":"p","uid":"u-1"}})"));
}

TEST(FormatEvent, CutsToTheLimitsAtACharacter) {
  Event event = SomeEvent();
  event.note = std::string(1023, 'x') + "é and more";
  event.reason = std::string(200, 'r');
  event.warning = false;
  event.regarding.namespace_name.clear();
  const json body = json::parse(FormatEvent(event));
  EXPECT_EQ(body["note"].get<std::string>(), std::string(1023, 'x'));
  EXPECT_EQ(body["reason"].get<std::string>().size(), 128u);
  EXPECT_EQ(body["type"], "Normal");
  EXPECT_FALSE(body["regarding"].contains("namespace"));
}

}  // namespace
}  // namespace aliquot::api
