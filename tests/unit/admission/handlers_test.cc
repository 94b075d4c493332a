// SPDX-License-Identifier: Apache-2.0
#include "admission/handlers.h"

#include <absl/strings/escaping.h>
#include <gtest/gtest.h>

#include "tests/unit/admission/reviews.h"
#include "tests/unit/api/recorded.h"

namespace aliquot::admission {
namespace {

using nlohmann::json;

class NoLedger final : public StampLedger {
 public:
  StampDecision Decide(const model::PodKey&, std::string_view, std::string_view, bool) override {
    return {};
  }
};

TEST(HandleMutate, AnswersTheReviewThatItGot) {
  const std::string body = Recorded("admission/mutate-pods-CREATE.json");
  const ReviewReply reply = HandleMutate(body, MutateOptions());
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(reply.outcome, ReviewOutcome::kPatched);
  EXPECT_EQ(ReviewOutcomeName(reply.outcome), "patched");
  const json sent = json::parse(body);
  const json review = json::parse(reply.body);
  EXPECT_EQ(review["apiVersion"], sent["apiVersion"]);
  EXPECT_EQ(review["kind"], sent["kind"]);
  EXPECT_EQ(review["response"]["uid"], sent["request"]["uid"]);
  EXPECT_EQ(reply.pod, "default/" + sent["request"]["name"].get<std::string>());
  std::string patch;
  ASSERT_TRUE(absl::Base64Unescape(review["response"]["patch"].get<std::string>(), &patch));
  const json after = sent["request"]["object"].patch(json::parse(patch));
  EXPECT_EQ(after["metadata"]["labels"]["aliquot.io/gpu"], "true");
}

TEST(HandleMutate, ADryRunIsAnsweredAlike) {
  const ReviewReply reply =
      HandleMutate(Recorded("admission/mutate-pods-CREATE-dryrun.json"), MutateOptions());
  EXPECT_EQ(reply.outcome, ReviewOutcome::kPatched);
}

TEST(HandleMutate, ARefusalIsAnAnswerNotAnHttpError) {
  json review = json::parse(Recorded("admission/mutate-pods-CREATE.json"));
  review["request"]["object"]["spec"]["nodeName"] = "n1";
  const ReviewReply reply = HandleMutate(review.dump(), MutateOptions());
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(reply.outcome, ReviewOutcome::kRefused);
  const json status = json::parse(reply.body)["response"]["status"];
  EXPECT_EQ(status["code"], 403);
  EXPECT_EQ(status["message"], reply.reason);
}

TEST(HandleMutate, WhatIsNoReviewIs400InOneSentence) {
  const auto refusal = [](const std::string& body) {
    const ReviewReply reply = HandleMutate(body, MutateOptions());
    EXPECT_EQ(reply.status, 400);
    EXPECT_EQ(reply.outcome, ReviewOutcome::kUnreadable);
    EXPECT_EQ(reply.body, reply.reason);
    return reply.body;
  };
  EXPECT_EQ(
      refusal(""),
      "the AdmissionReview is not JSON in UTF-8, or is cut short; send one complete JSON value");
  EXPECT_EQ(refusal(std::string(100000, '[')),
            "the AdmissionReview is nested deeper than 64 levels; send less nesting");
  json review = json::parse(Recorded("admission/mutate-pods-CREATE.json"));
  review["request"]["object"] = nullptr;
  EXPECT_EQ(refusal(review.dump()),
            "the pod: metadata is not an object; send the Pod as the API server does");
  review["request"]["object"] = json::parse(R"({"metadata":{},"spec":{"containers":7}})");
  EXPECT_EQ(refusal(review.dump()),
            "the pod: spec.containers is not a list; send the Pod as the API server does");
}

TEST(HandleMutate, OfARepeatedKeyTheLastHolds) {
  std::string body = Recorded("admission/mutate-pods-CREATE.json");
  const std::size_t at = body.find(R"("operation":"CREATE")");
  ASSERT_NE(at, std::string::npos);
  body.insert(at, R"("operation":"DELETE",)");
  EXPECT_EQ(HandleMutate(body, MutateOptions()).outcome, ReviewOutcome::kPatched);
}

TEST(HandleStamp, AnswersBindingsAndRefusesWhatIsNone) {
  NoLedger ledger;
  const ReviewReply reply = HandleStamp(
      Recorded("admission/mutate-pods_binding-CREATE-default-binder.json"), StampOptions(), ledger);
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(reply.outcome, ReviewOutcome::kUnchanged);
  EXPECT_EQ(reply.pod, "default/adm2");
  EXPECT_TRUE(json::parse(reply.body)["response"]["allowed"]);
  EXPECT_EQ(HandleStamp("{", StampOptions(), ledger).status, 400);
}

}  // namespace
}  // namespace aliquot::admission
