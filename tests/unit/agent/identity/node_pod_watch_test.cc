// SPDX-License-Identifier: Apache-2.0
#include "agent/identity/node_pod_watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/mutex.h"
#include "tests/unit/agent/identity/identity_fakes.h"

namespace aliquot::agent {
namespace {

using ::testing::HasSubstr;
using Kind = kubeclient::ListWatchSink::Event::Kind;

std::string PodJson(const std::string& name, const std::string& uid, const std::string& node) {
  return R"({"metadata":{"name":")" + name + R"(","namespace":"default","uid":")" + uid +
         R"(","resourceVersion":"7"},"spec":{"nodeName":")" + node +
         R"(","containers":[{"name":"a","resources":{"limits":{"tencent.com/vcuda-core":"20",)"
         R"("tencent.com/vcuda-memory":"15"}}}]}})";
}

std::string ListJson(const std::string& items) {
  return R"({"metadata":{"resourceVersion":"9"},"items":[)" + items + "]}";
}

std::string EventJson(const std::string& type, const std::string& object) {
  return R"({"type":")" + type + R"(","object":)" + object + "}";
}

class NoObserver final : public NodePodsObserver {
 public:
  void PodGone(std::string_view) override {}
  void PodFinished(std::string_view) override {}
  void PodsListed(const std::vector<std::string>&) override {}
};

class NodePodSinkTest : public ::testing::Test {
 protected:
  std::size_t Count() { return pods_.Snapshot().pods->size(); }

  FakeClock clock_;
  NoObserver observer_;
  NodePods pods_{observer_, clock_};
  NodePodSink sink_{"n1", {}, pods_};
};

TEST_F(NodePodSinkTest, AListInPagesIsCompleteAtItsEnd) {
  sink_.ListStarted();
  ASSERT_TRUE(sink_.PageReceived(ListJson(PodJson("a", "u1", "n1"))).ok());
  EXPECT_FALSE(pods_.Snapshot().synced);
  ASSERT_TRUE(sink_.PageReceived(ListJson(PodJson("b", "u2", "n1"))).ok());
  sink_.ListFinished();
  EXPECT_TRUE(pods_.Snapshot().synced);
  EXPECT_EQ(Count(), 2u);
  EXPECT_EQ(pods_.Snapshot().heard, clock_.SteadyNow());
}

TEST_F(NodePodSinkTest, AListThatBeganAnewForgetsThePagesOfTheLast) {
  sink_.ListStarted();
  ASSERT_TRUE(sink_.PageReceived(ListJson(PodJson("a", "u1", "n1"))).ok());
  sink_.ListStarted();
  ASSERT_TRUE(sink_.PageReceived(ListJson(PodJson("b", "u2", "n1"))).ok());
  sink_.ListFinished();
  EXPECT_EQ(Count(), 1u);
}

TEST_F(NodePodSinkTest, TakesPodsOfOurNodeOnly) {
  ASSERT_TRUE(sink_.PageReceived(ListJson(PodJson("a", "u1", "another"))).ok());
  EXPECT_EQ(Count(), 0u);
}

TEST_F(NodePodSinkTest, FollowsEvents) {
  const auto added = sink_.EventReceived(EventJson("ADDED", PodJson("a", "u1", "n1")));
  ASSERT_TRUE(added.ok()) << added.status().message();
  EXPECT_EQ(added->kind, Kind::kObject);
  EXPECT_EQ(added->resource_version, "7");
  EXPECT_EQ(Count(), 1u);
  ASSERT_TRUE(sink_.EventReceived(EventJson("DELETED", PodJson("a", "u1", "n1"))).ok());
  EXPECT_EQ(Count(), 0u);
  const auto bookmark =
      sink_.EventReceived(EventJson("BOOKMARK", R"({"metadata":{"resourceVersion":"12"}})"));
  EXPECT_EQ(bookmark->kind, Kind::kBookmark);
  EXPECT_EQ(bookmark->resource_version, "12");
  const auto error = sink_.EventReceived(EventJson("ERROR", R"({"code":410})"));
  EXPECT_EQ(error->kind, Kind::kError);
  EXPECT_EQ(error->error.code, 410);
  EXPECT_FALSE(sink_.EventReceived("{}").ok());
}

// Answers a list, then lets the watch stand until it is cancelled.
class OneListTransport final : public kubeclient::Transport {
 public:
  kubeclient::CallResult Call(const kubeclient::ApiRequest& request, SteadyTime,
                              kubeclient::Cancellation*) override {
    MutexLock lock(mutex_);
    queries_.push_back(request.query);
    kubeclient::CallResult result;
    result.outcome = kubeclient::CallResult::Outcome::kReply;
    result.reply.status = 200;
    result.reply.body = ListJson(PodJson("a", "u1", "n1"));
    return result;
  }
  kubeclient::CallResult Stream(const kubeclient::ApiRequest& request,
                                const kubeclient::StreamLimits&,
                                kubeclient::Cancellation& cancellation,
                                const kubeclient::ChunkConsumer&) override {
    {
      MutexLock lock(mutex_);
      queries_.push_back(request.query);
      changed_.NotifyAll();
    }
    cancellation.WaitUntil(std::chrono::steady_clock::now() + std::chrono::seconds(30));
    return {};
  }
  // Of the list and the watch, once both have come.
  std::vector<std::string> Queries() {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    MutexLock lock(mutex_);
    while (queries_.size() < 2 && changed_.WaitUntil(mutex_, deadline)) {
    }
    return queries_;
  }

 private:
  Mutex mutex_;
  CondVar changed_;
  std::vector<std::string> queries_ GUARDED_BY(mutex_);
};

class NoListWatchObserver final : public kubeclient::ListWatchObserver {
 public:
  void Listed(std::string_view, std::size_t, std::chrono::nanoseconds) override {}
  void Heard(std::string_view) override {}
  void WatchRestarted(std::string_view, std::string_view) override {}
  void Relisting(std::string_view, std::string_view) override {}
  void Failed(std::string_view, const Status&) override {}
};

TEST(NodePodWatch, AsksForThePodsOfThisNodeWhateverTheirLabels) {
  FakeClock clock;
  NoObserver observer;
  NodePods pods(observer, clock);
  OneListTransport transport;
  NoListWatchObserver watch_observer;
  NodePodWatchOptions options;
  options.node = "n1";
  options.seed = 1;
  options.watch.label_selector = "a=b";
  NodePodWatch watch(options, transport, clock, pods, watch_observer);
  watch.Start();
  const std::vector<std::string> queries = transport.Queries();
  watch.Stop();
  ASSERT_EQ(queries.size(), 2u);
  for (const std::string& query : queries) {
    EXPECT_THAT(query, HasSubstr("fieldSelector=spec.nodeName%3Dn1"));
    EXPECT_THAT(query, Not(HasSubstr("labelSelector")));
  }
  EXPECT_TRUE(watch.synced());
  EXPECT_NE(pods.Snapshot().Find("u1"), nullptr);
}

}  // namespace
}  // namespace aliquot::agent
