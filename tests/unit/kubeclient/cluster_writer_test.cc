// SPDX-License-Identifier: Apache-2.0
#include "kubeclient/cluster_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "kubeclient/api_path.h"

namespace aliquot::kubeclient {
namespace {

using model::WriteOutcome;
using nlohmann::json;
using ::testing::HasSubstr;

// Keeps the requests and answers each with the same reply.
class RecordingTransport final : public Transport {
 public:
  CallResult Call(const ApiRequest& request, SteadyTime deadline, Cancellation*) override {
    requests.push_back(request);
    deadlines.push_back(deadline);
    return result;
  }
  CallResult Stream(const ApiRequest&, const StreamLimits&, Cancellation&,
                    const ChunkConsumer&) override {
    ADD_FAILURE() << "a writer streams nothing";
    return {};
  }

  void Answer(int status, const std::string& body) {
    result.outcome = CallResult::Outcome::kReply;
    result.reply.status = status;
    result.reply.body = body;
  }

  CallResult result;
  std::vector<ApiRequest> requests;
  std::vector<SteadyTime> deadlines;
};

class RecordingObserver final : public ApiCallObserver {
 public:
  void Called(const ApiVerb& verb, WriteOutcome outcome, std::chrono::nanoseconds) override {
    calls.emplace_back(verb, outcome);
  }
  std::vector<std::pair<ApiVerb, WriteOutcome>> calls;
};

class ClusterWriterTest : public ::testing::Test {
 protected:
  ClusterWriterTest() : writer_(Options(), transport_, clock_, &observer_) {}

  static ClusterWriterOptions Options() {
    ClusterWriterOptions options;
    options.reporting_instance = "aliquot-0";
    return options;
  }

  const ApiRequest& LastRequest() const { return transport_.requests.back(); }
  json LastBody() const { return json::parse(LastRequest().body); }

  const model::PodKey key_{"team", "a"};
  FakeClock clock_;
  RecordingTransport transport_;
  RecordingObserver observer_;
  ClusterWriter writer_;
};

TEST_F(ClusterWriterTest, ABindIsOneWriteWithUidAndAnnotations) {
  transport_.Answer(201, "{}");
  const SteadyTime deadline = clock_.SteadyNow() + std::chrono::seconds(4);
  const auto reply =
      writer_.Bind({key_, "uid-1", "n1", {{"tencent.com/predicate-gpu-idx-0", "3"}}}, deadline);
  EXPECT_TRUE(reply.done());
  ASSERT_EQ(transport_.requests.size(), 1u);
  EXPECT_EQ(RequestTarget(LastRequest()), "/api/v1/namespaces/team/pods/a/binding?timeout=4s");
  EXPECT_EQ(transport_.deadlines[0], deadline);
  const json body = LastBody();
  EXPECT_EQ(body["kind"], "Binding");
  EXPECT_EQ(body["metadata"]["uid"], "uid-1");
  EXPECT_EQ(body["metadata"]["name"], "a");
  EXPECT_EQ(body["metadata"]["annotations"]["tencent.com/predicate-gpu-idx-0"], "3");
  EXPECT_EQ(body["target"]["name"], "n1");
}

TEST_F(ClusterWriterTest, ABadAnnotationKeyIsRefusedBeforeItIsSent) {
  const auto reply = writer_.Bind({key_, "uid-1", "n1", {{"bad key!", "3"}}}, clock_.SteadyNow());
  EXPECT_EQ(reply.outcome, WriteOutcome::kRefused);
  EXPECT_FALSE(reply.message.empty());
  EXPECT_TRUE(transport_.requests.empty());
}

TEST_F(ClusterWriterTest, AWriteWithoutNameOrUidIsNeverSent) {
  EXPECT_EQ(writer_.Bind({{"team", ""}, "u", "n1", {}}, clock_.SteadyNow()).outcome,
            WriteOutcome::kRefused);
  EXPECT_EQ(writer_.Bind({key_, "", "n1", {}}, clock_.SteadyNow()).outcome, WriteOutcome::kRefused);
  EXPECT_EQ(writer_.PatchPod({"", "a"}, "u", {}, {}).outcome, WriteOutcome::kRefused);
  EXPECT_EQ(writer_.SetPodCondition(key_, "", {}).outcome, WriteOutcome::kRefused);
  EXPECT_EQ(writer_.PostEvent({{"", ""}, "u", true, "R", "A", ""}).outcome, WriteOutcome::kRefused);
  EXPECT_EQ(writer_.GetPod({"team", ""}).outcome, model::PodLookup::Outcome::kUnknown);
  EXPECT_TRUE(transport_.requests.empty());
}

TEST_F(ClusterWriterTest, APatchTouchesOnlyWhatItNames) {
  transport_.Answer(200, "{}");
  EXPECT_TRUE(writer_.PatchPod(key_, "uid-1", {{"aliquot.io/allocation", "{\"v\":1}"}}, {}).done());
  EXPECT_EQ(RequestTarget(LastRequest()), "/api/v1/namespaces/team/pods/a");
  EXPECT_EQ(LastRequest().content_type, "application/merge-patch+json");
  EXPECT_EQ(
      LastBody(),
      json({{"metadata",
             {{"uid", "uid-1"}, {"annotations", {{"aliquot.io/allocation", "{\"v\":1}"}}}}}}));
}

TEST_F(ClusterWriterTest, AConditionIsMergedByType) {
  transport_.Answer(200, "{}");
  EXPECT_TRUE(
      writer_.SetPodCondition(key_, "uid-1", {"aliquot.io/Allocated", false, "NoRoom", "Why."})
          .done());
  EXPECT_EQ(RequestTarget(LastRequest()), "/api/v1/namespaces/team/pods/a/status");
  EXPECT_EQ(LastRequest().content_type, "application/strategic-merge-patch+json");
  const json condition = LastBody()["status"]["conditions"][0];
  EXPECT_EQ(condition["type"], "aliquot.io/Allocated");
  EXPECT_EQ(condition["status"], "False");
  EXPECT_EQ(condition["reason"], "NoRoom");
  EXPECT_EQ(LastBody()["metadata"]["uid"], "uid-1");
}

TEST_F(ClusterWriterTest, EventsOfOneInstantHaveDifferentNames) {
  transport_.Answer(201, "{}");
  std::set<std::string> names;
  const model::PodKey long_key{"team", std::string(253, 'p')};
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(writer_.PostEvent({long_key, "uid-1", true, "NoRoom", "Stamp", "Why."}).done());
    names.insert(LastBody()["metadata"]["name"].get<std::string>());
  }
  EXPECT_EQ(names.size(), 3u);
  EXPECT_LE(names.begin()->size(), 253u);
  EXPECT_EQ(RequestTarget(LastRequest()), "/apis/events.k8s.io/v1/namespaces/team/events");
  const json event = LastBody();
  EXPECT_EQ(event["regarding"]["uid"], "uid-1");
  EXPECT_EQ(event["reportingInstance"], "aliquot-0");
  EXPECT_EQ(event["type"], "Warning");
  EXPECT_EQ(event["note"], "Why.");
}

TEST_F(ClusterWriterTest, ALookupTellsAPodFromItsAbsenceAndFromSilence) {
  transport_.Answer(200, R"({"metadata":{"name":"a","namespace":"team","uid":"uid-1"},"spec":{}})");
  const auto found = writer_.GetPod(key_);
  ASSERT_EQ(found.outcome, model::PodLookup::Outcome::kFound) << found.message;
  EXPECT_EQ(found.pod.uid, "uid-1");
  transport_.Answer(404, "{}");
  EXPECT_EQ(writer_.GetPod(key_).outcome, model::PodLookup::Outcome::kNotFound);
  for (const int status : {403, 429, 500}) {
    transport_.Answer(status, "{}");
    EXPECT_EQ(writer_.GetPod(key_).outcome, model::PodLookup::Outcome::kUnknown) << status;
  }
  transport_.Answer(200, "not a pod");
  const auto damaged = writer_.GetPod(key_);
  EXPECT_EQ(damaged.outcome, model::PodLookup::Outcome::kUnknown);
  EXPECT_FALSE(damaged.message.empty());
}

TEST_F(ClusterWriterTest, EveryCallIsObservedOnceWithItsOutcome) {
  transport_.Answer(409, "{}");
  writer_.Bind({key_, "uid-1", "n1", {}}, clock_.SteadyNow());
  transport_.result = {};
  writer_.PatchPod(key_, "uid-1", {}, {});
  ASSERT_EQ(observer_.calls.size(), 2u);
  EXPECT_EQ(observer_.calls[0], std::make_pair(kBindPod, WriteOutcome::kConflict));
  EXPECT_EQ(observer_.calls[1], std::make_pair(kPatchPod, WriteOutcome::kRefused));
}

TEST_F(ClusterWriterTest, AFailedWriteIsNotTriedAgain) {
  transport_.result.outcome = CallResult::Outcome::kUnknown;
  EXPECT_EQ(writer_.Bind({key_, "uid-1", "n1", {}}, clock_.SteadyNow()).outcome,
            WriteOutcome::kUnknown);
  EXPECT_EQ(transport_.requests.size(), 1u);
}

}  // namespace
}  // namespace aliquot::kubeclient
