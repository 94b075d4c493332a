// SPDX-License-Identifier: Apache-2.0
#include "agent/inventory/publisher.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "kubeclient/api_path.h"

namespace aliquot::agent {
namespace {

using kubeclient::ApiRequest;
using kubeclient::CallResult;
using nlohmann::json;
using std::chrono::milliseconds;
using std::chrono::seconds;

// Keeps the requests and answers each as it was told last.
class RecordingTransport final : public kubeclient::Transport {
 public:
  CallResult Call(const ApiRequest& request, SteadyTime, kubeclient::Cancellation*) override {
    requests.push_back(request);
    return result;
  }
  CallResult Stream(const ApiRequest&, const kubeclient::StreamLimits&, kubeclient::Cancellation&,
                    const kubeclient::ChunkConsumer&) override {
    ADD_FAILURE() << "the publisher streams nothing";
    return {};
  }
  void Answer(int status, const std::string& body = "{}") {
    result = {};
    result.outcome = CallResult::Outcome::kReply;
    result.reply.status = status;
    result.reply.body = body;
  }
  void SayNothing() {
    result = {};
    result.outcome = CallResult::Outcome::kUnknown;
    result.message = "cut";
  }

  CallResult result;
  std::vector<ApiRequest> requests;
};

class PublisherTest : public testing::Test {
 protected:
  PublisherTest()
      : publisher_(
            Options(), transport_, clock_, [] { return 1.0; }, nullptr, log_) {
    node_.name = "n1";
    node_.uid = "u-1";
    node_.resource_version = "1";
    transport_.Answer(200);
  }

  static PublisherOptions Options() {
    PublisherOptions options;
    options.node_name = "n1";
    options.settle = seconds(10);
    options.backoff = {milliseconds(1000), milliseconds(8000), milliseconds(60000)};
    return options;
  }

  void Wish(const std::string& inventory) { publisher_.SetWish({inventory, {}, "t"}); }
  void Show(const std::string& inventory) {
    node_.inventory = inventory;
    node_.resource_version += "0";
    publisher_.NodeSeen(node_);
  }
  void Tick(std::chrono::nanoseconds later = seconds(1)) {
    clock_.Advance(later);
    publisher_.Tick();
  }
  std::size_t Requests() const { return transport_.requests.size(); }
  std::string LastMethod() const {
    return std::string(kubeclient::HttpMethod(transport_.requests.back().verb));
  }
  std::string NodeJson(const std::string& inventory) const {
    return json{{"metadata",
                 {{"name", "n1"},
                  {"uid", "u-1"},
                  {"resourceVersion", "5"},
                  {"annotations", {{"aliquot.io/gpu-inventory", inventory}}}}}}
        .dump();
  }

  FakeClock clock_;
  observability::NullLog log_;
  RecordingTransport transport_;
  NodeView node_;
  InventoryPublisher publisher_;
};

TEST_F(PublisherTest, NothingIsWrittenBeforeNodeAndWishAreKnown) {
  Tick();
  Wish("A");
  Tick();
  EXPECT_EQ(Requests(), 0u);
  EXPECT_FALSE(publisher_.published());
}

TEST_F(PublisherTest, ADifferenceIsOneWriteAndTheWatchEndsIt) {
  Show("");
  Wish("A");
  Tick();
  ASSERT_EQ(Requests(), 1u);
  EXPECT_EQ(RequestTarget(transport_.requests[0]), "/api/v1/nodes/n1");
  EXPECT_EQ(LastMethod(), "PATCH");
  EXPECT_EQ(transport_.requests[0].content_type, "application/merge-patch+json");
  EXPECT_EQ(json::parse(transport_.requests[0].body)["metadata"]["uid"], "u-1");
  for (int i = 0; i < 5; ++i) {
    Tick();
  }
  EXPECT_EQ(Requests(), 1u) << "the watch is waited for";
  EXPECT_FALSE(publisher_.published());
  Show("A");
  EXPECT_TRUE(publisher_.published());
  for (int i = 0; i < 100; ++i) {
    Tick();
  }
  EXPECT_EQ(Requests(), 1u);
}

TEST_F(PublisherTest, NoWriteWhileNothingChanges) {
  Show("A");
  Wish("A");
  for (int i = 0; i < 100; ++i) {
    Tick();
    Show("A");
    Wish("A");
  }
  EXPECT_EQ(Requests(), 0u);
  EXPECT_TRUE(publisher_.published());
}

TEST_F(PublisherTest, AnEventFromBeforeTheWriteCausesNoOther) {
  Show("");
  Wish("A");
  Tick();
  Show("");  // on its way when we wrote
  Tick();
  EXPECT_EQ(Requests(), 1u);
}

TEST_F(PublisherTest, ASilentWatchIsMadeUpForByARead) {
  Show("");
  Wish("A");
  Tick();
  transport_.Answer(200, NodeJson("A"));
  Tick(milliseconds(9900));
  EXPECT_EQ(Requests(), 1u);
  Tick(milliseconds(200));
  ASSERT_EQ(Requests(), 2u);
  EXPECT_EQ(LastMethod(), "GET");
  EXPECT_TRUE(publisher_.published());
  Tick(seconds(60));
  EXPECT_EQ(Requests(), 2u);
}

TEST_F(PublisherTest, AnUnknownOutcomeIsReadAndNotGuessed) {
  Show("");
  Wish("A");
  transport_.SayNothing();
  Tick();
  Tick();
  EXPECT_EQ(Requests(), 1u);
  transport_.Answer(200, NodeJson(""));  // it was not written
  Tick(seconds(10));
  ASSERT_EQ(Requests(), 2u);
  EXPECT_EQ(LastMethod(), "GET");
  transport_.Answer(200);
  Tick();
  ASSERT_EQ(Requests(), 3u);
  EXPECT_EQ(LastMethod(), "PATCH");
}

TEST_F(PublisherTest, AfterAConflictTheNextViewIsWaitedFor) {
  Show("");
  Wish("A");
  transport_.Answer(409);
  Tick();
  Tick(seconds(2));
  EXPECT_EQ(Requests(), 1u);
  transport_.Answer(200);
  Show("");
  Tick();
  ASSERT_EQ(Requests(), 2u);
  EXPECT_EQ(LastMethod(), "PATCH");
}

// The back-off is 1 s, 2 s, 4 s, 8 s, 8 s with the source of randomness at its upper end.
TEST_F(PublisherTest, ARefusalIsTriedAgainWithBackoff) {
  Show("");
  Wish("A");
  transport_.Answer(403);
  std::vector<int> seconds_of_requests;
  std::size_t before = 0;
  for (int second = 1; second <= 24; ++second) {
    Tick();
    if (Requests() > before) {
      seconds_of_requests.push_back(second);
      before = Requests();
    }
  }
  EXPECT_EQ(seconds_of_requests, (std::vector<int>{1, 2, 4, 8, 16, 24}));
}

TEST_F(PublisherTest, AReadThatFailsIsTriedAgainWithBackoff) {
  Show("");
  Wish("A");
  Tick();
  transport_.Answer(500);
  Tick(seconds(10));
  EXPECT_EQ(Requests(), 2u);
  Tick(milliseconds(100));
  EXPECT_EQ(Requests(), 2u);
  Tick(seconds(1));
  EXPECT_EQ(Requests(), 3u);
}

TEST_F(PublisherTest, ANewWishIsWrittenOnceTheLastIsSettled) {
  Show("");
  Wish("A");
  Tick();
  Wish("B");
  Tick();
  EXPECT_EQ(Requests(), 1u);
  Show("A");
  Tick();
  ASSERT_EQ(Requests(), 2u);
  EXPECT_EQ(json::parse(
                transport_.requests[1].body)["metadata"]["annotations"]["aliquot.io/gpu-inventory"],
            "B");
}

TEST_F(PublisherTest, TheTaintGoesInASecondWrite) {
  node_.taints = {{"t", "NoSchedule"}};
  Show("");
  Wish("A");
  Tick();
  Show("A");
  EXPECT_FALSE(publisher_.published());
  Tick();
  ASSERT_EQ(Requests(), 2u);
  EXPECT_EQ(transport_.requests[1].content_type, "application/json-patch+json");
  node_.taints.clear();
  Show("A");
  EXPECT_TRUE(publisher_.published());
}

TEST_F(PublisherTest, ANodeThatIsMadeAnewIsWrittenAnew) {
  Show("");
  Wish("A");
  Tick();
  publisher_.NodeGone();
  EXPECT_EQ(publisher_.node(), nullptr);
  Tick();
  EXPECT_EQ(Requests(), 1u);
  node_.uid = "u-2";
  Show("");
  Tick();
  ASSERT_EQ(Requests(), 2u);
  EXPECT_EQ(json::parse(transport_.requests[1].body)["metadata"]["uid"], "u-2");
}

TEST_F(PublisherTest, SomebodyElsesEditIsPutRight) {
  Show("A");
  Wish("A");
  Tick();
  Show("forged");
  Tick();
  ASSERT_EQ(Requests(), 1u);
  EXPECT_FALSE(publisher_.published());
}

}  // namespace
}  // namespace aliquot::agent
