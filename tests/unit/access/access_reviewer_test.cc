// SPDX-License-Identifier: Apache-2.0
#include "access/access_reviewer.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace aliquot::access {
namespace {

using Json = nlohmann::json;
using Kind = AccessAnswer::Kind;
using kubeclient::ApiRequest;
using kubeclient::CallResult;

// Answers in order; the last again and again.
class ScriptedTransport final : public kubeclient::Transport {
 public:
  CallResult Call(const ApiRequest& request, SteadyTime deadline,
                  kubeclient::Cancellation* /*cancellation*/) override {
    requests.push_back(request);
    deadlines.push_back(deadline);
    return answers.at(std::min(requests.size(), answers.size()) - 1);
  }
  CallResult Stream(const ApiRequest& /*request*/, const kubeclient::StreamLimits& /*limits*/,
                    kubeclient::Cancellation& /*cancellation*/,
                    const kubeclient::ChunkConsumer& /*consumer*/) override {
    return {};
  }

  std::vector<CallResult> answers;
  std::vector<ApiRequest> requests;
  std::vector<SteadyTime> deadlines;
};

CallResult Reply(int status, const std::string& body) {
  CallResult result;
  result.outcome = CallResult::Outcome::kReply;
  result.reply.status = status;
  result.reply.body = body;
  return result;
}

CallResult Who(const std::string& audiences = R"(["aliquot-agent"])") {
  return Reply(201, R"({"kind":"TokenReview","status":{"authenticated":true,"user":
      {"username":"system:serviceaccount:m:prometheus","groups":["g"]},"audiences":)" +
                        audiences + "}}");
}

const CallResult kNobody = Reply(201, R"({"kind":"TokenReview","status":{"error":"bad"}})");

CallResult May(bool allowed) {
  return Reply(201, std::string(R"({"kind":"SubjectAccessReview","status":{"allowed":)") +
                        (allowed ? "true" : "false") + "}}");
}

class AccessReviewerTest : public ::testing::Test {
 protected:
  FakeClock clock_;
  ScriptedTransport transport_;
  ApiAccessReviewer reviewer_{AgentPages(), transport_, clock_};
};

TEST_F(AccessReviewerTest, ATokenForUsIsKnownByTheFirstQuestion) {
  transport_.answers = {Who(), May(true)};
  EXPECT_TRUE(reviewer_.Review("token", "/verify").allowed());
  ASSERT_EQ(transport_.requests.size(), 2u);
  EXPECT_EQ(transport_.requests[0].verb, kubeclient::kReviewToken);
  EXPECT_EQ(Json::parse(transport_.requests[0].body)["spec"],
            Json({{"token", "token"}, {"audiences", {"aliquot-agent"}}}));
  EXPECT_EQ(transport_.requests[1].verb, kubeclient::kReviewAccess);
  const Json asked = Json::parse(transport_.requests[1].body)["spec"];
  EXPECT_EQ(asked["user"], "system:serviceaccount:m:prometheus");
  EXPECT_EQ(asked["nonResourceAttributes"], Json({{"path", "/verify"}, {"verb", "get"}}));
}

TEST_F(AccessReviewerTest, ATokenForTheApiServerIsKnownByTheSecond) {
  transport_.answers = {kNobody, Who("[]"), May(true)};
  EXPECT_TRUE(reviewer_.Review("token", "/metrics").allowed());
  EXPECT_FALSE(Json::parse(transport_.requests[1].body)["spec"].contains("audiences"));
}

TEST_F(AccessReviewerTest, ATokenForSomebodyElseIsNobodys) {
  transport_.answers = {Who(R"(["vault"])"), kNobody};
  EXPECT_EQ(reviewer_.Review("token", "/metrics").kind, Kind::kUnknownCaller);
  EXPECT_EQ(transport_.requests.size(), 2u);
}

TEST_F(AccessReviewerTest, ACallerWithoutTheRightIsNamed) {
  transport_.answers = {Who(), May(false)};
  const AccessAnswer answer = reviewer_.Review("token", "/verify");
  EXPECT_EQ(answer.kind, Kind::kForbidden);
  EXPECT_EQ(answer.sentence,
            "system:serviceaccount:m:prometheus may not get /verify; bind ClusterRole "
            "aliquot-agent-reader to it");
}

TEST_F(AccessReviewerTest, NeitherSilenceNorNonsenseLetsAnyoneIn) {
  CallResult silent;
  silent.message = "no answer within 4 s";
  for (const CallResult& odd :
       {silent, Reply(500, ""), Reply(403, ""), Reply(201, "nonsense"), Reply(201, "{}"),
        Reply(201, R"({"kind":"TokenReview","status":{"authenticated":true}})")}) {
    transport_.requests.clear();
    transport_.answers = {odd};
    EXPECT_EQ(reviewer_.Review("t", "/verify").kind, Kind::kUnavailable) << odd.reply.body;
    transport_.requests.clear();
    transport_.answers = {Who(), odd};
    EXPECT_EQ(reviewer_.Review("t", "/verify").kind, Kind::kUnavailable) << odd.reply.body;
  }
}

TEST_F(AccessReviewerTest, AllQuestionsShareOneDeadline) {
  transport_.answers = {kNobody, Who("[]"), May(true)};
  reviewer_.Review("t", "/verify");
  for (const SteadyTime deadline : transport_.deadlines) {
    EXPECT_EQ(deadline, clock_.SteadyNow() + std::chrono::seconds(4));
  }
}

TEST_F(AccessReviewerTest, NoSentenceHoldsTheToken) {
  transport_.answers = {kNobody};
  EXPECT_EQ(reviewer_.Review("secret", "/verify").sentence.find("secret"), std::string::npos);
}

}  // namespace
}  // namespace aliquot::access
