// SPDX-License-Identifier: Apache-2.0
#include "agent/inventory/node_watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace aliquot::agent {
namespace {

using ::testing::ElementsAre;
using Event = kubeclient::ListWatchSink::Event;

class RecordingListener final : public NodeListener {
 public:
  void NodeSeen(const NodeView& node) override { told.push_back(node.name + node.inventory); }
  void NodeGone() override { told.push_back("gone"); }
  std::vector<std::string> told;
};

std::string NodeJson(const std::string& name, const std::string& inventory) {
  return R"({"metadata":{"name":")" + name + R"(","resourceVersion":"5","annotations":{)" +
         R"("aliquot.io/gpu-inventory":")" + inventory + R"("}}})";
}

std::string ListJson(const std::string& items) {
  return R"({"metadata":{"resourceVersion":"9"},"items":[)" + items + "]}";
}

class NodeViewSinkTest : public testing::Test {
 protected:
  RecordingListener listener_;
  NodeViewSink sink_{"n1", listener_};
};

TEST_F(NodeViewSinkTest, TellsOfOurNodeAndOfNoOther) {
  sink_.ListStarted();
  const auto page = sink_.PageReceived(ListJson(NodeJson("n2", "x") + "," + NodeJson("n1", "a")));
  ASSERT_TRUE(page.ok()) << page.status().message();
  EXPECT_EQ(page->resource_version, "9");
  sink_.ListFinished();
  const auto event =
      sink_.EventReceived(R"({"type":"MODIFIED","object":)" + NodeJson("n1", "b") + "}");
  ASSERT_TRUE(event.ok()) << event.status().message();
  EXPECT_EQ(event->resource_version, "5");
  ASSERT_TRUE(sink_.EventReceived(R"({"type":"ADDED","object":)" + NodeJson("n2", "y") + "}").ok());
  EXPECT_THAT(listener_.told, ElementsAre("n1a", "n1b"));
}

TEST_F(NodeViewSinkTest, ACompleteListWithoutItMeansThatItIsGone) {
  sink_.ListStarted();
  ASSERT_TRUE(sink_.PageReceived(ListJson("")).ok());
  sink_.ListFinished();
  EXPECT_THAT(listener_.told, ElementsAre("gone"));
}

TEST_F(NodeViewSinkTest, ADeletedNodeIsGone) {
  ASSERT_TRUE(
      sink_.EventReceived(R"({"type":"DELETED","object":)" + NodeJson("n1", "") + "}").ok());
  EXPECT_THAT(listener_.told, ElementsAre("gone"));
}

TEST_F(NodeViewSinkTest, BookmarksAndErrorsAreNoNodes) {
  const auto bookmark =
      sink_.EventReceived(R"({"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"12"}}})");
  ASSERT_TRUE(bookmark.ok()) << bookmark.status().message();
  EXPECT_EQ(bookmark->kind, Event::Kind::kBookmark);
  EXPECT_EQ(bookmark->resource_version, "12");
  const auto error = sink_.EventReceived(R"({"type":"ERROR","object":{"code":410}})");
  ASSERT_TRUE(error.ok()) << error.status().message();
  EXPECT_EQ(error->kind, Event::Kind::kError);
  EXPECT_EQ(error->error.code, 410);
  EXPECT_TRUE(listener_.told.empty());
}

TEST_F(NodeViewSinkTest, WhatCannotBeReadIsAnError) {
  EXPECT_FALSE(sink_.PageReceived("<html>").ok());
  EXPECT_FALSE(sink_.EventReceived(R"({"type":"ADDED","object":{}})").ok());
}

}  // namespace
}  // namespace aliquot::agent
