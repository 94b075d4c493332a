// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "api/list_codec.h"
#include "api/watch_codec.h"
#include "tests/unit/api/recorded.h"

namespace aliquot::api {
namespace {

TEST(ParseList, ReadsPagesOfPods) {
  const auto page = ParsePodList(Recorded("watch/pods-list-limit2.json"), model::ResourceNames());
  ASSERT_TRUE(page.ok()) << page.status().ToString();
  EXPECT_EQ(page->resource_version, "6435");
  EXPECT_FALSE(page->continue_token.empty());
  ASSERT_EQ(page->items.size(), 2u);
  EXPECT_EQ(page->items[0].key.name, "adm-multi");
  EXPECT_EQ(page->items[0].gpu_containers.size(), 4u);
  const auto whole = ParsePodList(Recorded("watch/pods-list.json"), model::ResourceNames());
  ASSERT_TRUE(whole.ok());
  EXPECT_TRUE(whole->continue_token.empty());
  EXPECT_EQ(whole->items.size(), 5u);
}

TEST(ParseList, ReadsNodes) {
  const auto page = ParseNodeList(Recorded("watch/nodes-list.json"));
  ASSERT_TRUE(page.ok()) << page.status().ToString();
  ASSERT_EQ(page->items.size(), 3u);
  EXPECT_EQ(page->items[2].name, "n3");
  EXPECT_EQ(page->items[2].inventory, nullptr);
}

TEST(ParseList, AnEmptyListHasItemsNullOrNone) {
  EXPECT_TRUE(ParseNodeList(R"({"metadata":{"resourceVersion":"1"},"items":null})").ok());
  EXPECT_TRUE(ParseNodeList(R"({"metadata":{"resourceVersion":"1"},"items":[]})").ok());
}

TEST(ParseList, WhatIsNotAListIsRefused) {
  EXPECT_EQ(ParseNodeList("{}").status().message(),
            "the list: metadata.resourceVersion is missing; expected a list of the API server");
  EXPECT_EQ(ParseNodeList(R"({"metadata":{"resourceVersion":"1"},"items":[{},{"spec":1}]})")
                .status()
                .message(),
            "the list: items[1]: the node: spec is a number; it must be an object");
}

TEST(ParseList, OneTenantsDeepMetadataBlindsNobody) {
  const std::string deep = std::string(9000, '[') + std::string(9000, ']');
  const auto page =
      ParsePodList(R"({"metadata":{"resourceVersion":"1"},"items":[{"metadata":{"name":"a",)"
                   R"("managedFields":[{"fieldsV1":)" +
                       deep + R"(}]}},{"metadata":{"name":"b"}}]})",
                   model::ResourceNames());
  ASSERT_TRUE(page.ok()) << page.status().ToString();
  EXPECT_EQ(page->items.size(), 2u);
}

TEST(ParseWatchEvent, ReadsAStreamWithItsInitialEventsEnd) {
  const auto lines = RecordedLines("watch/pods-sendInitialEvents.jsonl");
  ASSERT_EQ(lines.size(), 6u);
  for (std::size_t i = 0; i < 5; ++i) {
    const auto event = ParsePodWatchEvent(lines[i], model::ResourceNames());
    ASSERT_TRUE(event.ok()) << event.status().ToString();
    EXPECT_EQ(event->type, WatchEventType::kAdded);
    EXPECT_FALSE(event->object.uid.empty());
    EXPECT_EQ(event->resource_version, event->object.resource_version);
  }
  const auto last = ParsePodWatchEvent(lines[5], model::ResourceNames());
  ASSERT_TRUE(last.ok());
  EXPECT_EQ(last->type, WatchEventType::kBookmark);
  EXPECT_TRUE(last->initial_events_end);
  EXPECT_EQ(last->resource_version, "6435");
  for (const std::string& line : RecordedLines("watch/nodes-sendInitialEvents.jsonl")) {
    EXPECT_TRUE(ParseNodeWatchEvent(line).ok());
  }
}

TEST(ParseWatchEvent, AnErrorCarriesItsStatus) {
  const auto event =
      ParsePodWatchEvent(RecordedLines("watch/pods-410.jsonl")[0], model::ResourceNames());
  ASSERT_TRUE(event.ok()) << event.status().ToString();
  EXPECT_EQ(event->type, WatchEventType::kError);
  EXPECT_EQ(event->error.code, 410);
  EXPECT_EQ(event->error.reason, "Expired");
}

TEST(ParseWatchEvent, AnUnknownTypeOrHalfALineIsRefused) {
  const auto refusal = [](const std::string& line) {
    return ParseNodeWatchEvent(line).status().message();
  };
  EXPECT_EQ(refusal(R"({"type":"RENAMED","object":{}})"),
            "the watch event: type is \"RENAMED\"; expected an event of the API server");
  EXPECT_EQ(refusal(R"({"type":"ADDED"})"),
            "the watch event: object is missing; expected an event of the API server");
  EXPECT_EQ(refusal(R"({"type":"ADDED","object":{"met)"),
            "the watch event is not JSON, or is cut short; send one complete JSON value");
}

}  // namespace
}  // namespace aliquot::api
