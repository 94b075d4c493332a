// SPDX-License-Identifier: Apache-2.0
#include "admission/stamp.h"

#include <gtest/gtest.h>

#include "tests/unit/api/recorded.h"

namespace aliquot::admission {
namespace {

using nlohmann::json;

// Answers as told and remembers what it was asked.
class FakeLedger final : public StampLedger {
 public:
  StampDecision Decide(const model::PodKey& pod, std::string_view uid, std::string_view node,
                       bool dry_run) override {
    asked.push_back(pod.ToString() + " " + std::string(uid) + " " + std::string(node) +
                    (dry_run ? " dry" : ""));
    return answer;
  }
  StampDecision answer;
  std::vector<std::string> asked;
};

api::ReviewRequest RecordedReview(const std::string& name) {
  auto request = api::ParseAdmissionReview(Recorded("admission/" + name + ".json"));
  EXPECT_TRUE(request.ok()) << request.status().ToString();
  return *std::move(request);
}

// The same as a configured scheduler would send it.
api::ReviewRequest ByScheduler(const std::string& name) {
  api::ReviewRequest request = RecordedReview(name);
  request.username = "system:kube-scheduler";
  return request;
}

StampDecision Cards() {
  StampDecision decision;
  decision.outcome = StampDecision::Outcome::kAnnotations;
  decision.annotations = {{"aliquot.io/allocation", "{\"v\":1}"},
                          {"tencent.com/predicate-gpu-idx-0", "3"}};
  return decision;
}

TEST(StampBinding, GivesTheDefaultBindersBindingItsAnnotations) {
  FakeLedger ledger;
  ledger.answer = Cards();
  const api::ReviewRequest request = RecordedReview("mutate-pods_binding-CREATE-default-binder");
  const auto response = StampBinding(request, StampOptions(), ledger);
  ASSERT_TRUE(response.ok()) << response.status().ToString();
  EXPECT_TRUE(response->allowed);
  EXPECT_EQ(ledger.asked,
            (std::vector<std::string>{"default/adm2 c468c658-887e-4ea3-95a8-aee434ed03b4 n3"}));
  json expected = request.object;
  expected["metadata"]["annotations"] = {{"aliquot.io/allocation", "{\"v\":1}"},
                                         {"tencent.com/predicate-gpu-idx-0", "3"}};
  EXPECT_EQ(request.object.patch(response->patch), expected);
  EXPECT_TRUE(response->warnings.empty());
}

TEST(StampBinding, TheLegacyResourceAndABindByHandCountAsWell) {
  FakeLedger ledger;
  ledger.answer = Cards();
  EXPECT_FALSE(
      StampBinding(ByScheduler("mutate-bindings-CREATE"), StampOptions(), ledger)->patch.empty());
  EXPECT_FALSE(
      StampBinding(ByScheduler("mutate-pods_binding-CREATE-dryrun"), StampOptions(), ledger)
          ->patch.empty());
  ASSERT_EQ(ledger.asked.size(), 2u);
  EXPECT_EQ(ledger.asked[0], "default/adm3  n1");
  EXPECT_NE(ledger.asked[1].find(" dry"), std::string::npos);
}

TEST(StampBinding, OurOwnBindingIsLeftAlone) {
  FakeLedger ledger;
  ledger.answer = Cards();
  StampOptions options;
  options.own_username = "gpu-extender";
  const auto own =
      StampBinding(RecordedReview("validate-pods_binding-CREATE-extender"), options, ledger);
  ASSERT_TRUE(own.ok());
  EXPECT_TRUE(own->patch.empty());
  EXPECT_TRUE(own->warnings.empty());
  EXPECT_TRUE(ledger.asked.empty());
}

TEST(StampBinding, NoNameConfiguredMeansNobodyIsSkipped) {
  FakeLedger ledger;
  api::ReviewRequest request = ByScheduler("mutate-bindings-CREATE");
  request.username.clear();
  EXPECT_TRUE(StampBinding(request, StampOptions(), ledger).ok());
  EXPECT_EQ(ledger.asked.size(), 1u);
}

TEST(StampBinding, DeniesWithTheLedgersReason) {
  FakeLedger ledger;
  ledger.answer.outcome = StampDecision::Outcome::kDenied;
  ledger.answer.reason = "node n3 has no GPU with room for the pod";
  const auto response = StampBinding(RecordedReview("mutate-pods_binding-CREATE-default-binder"),
                                     StampOptions(), ledger);
  ASSERT_TRUE(response.ok());
  EXPECT_FALSE(response->allowed);
  EXPECT_EQ(response->code, 403);
  EXPECT_EQ(response->message, "node n3 has no GPU with room for the pod");
  EXPECT_TRUE(response->patch.empty());
}

TEST(StampBinding, WhatASchedulerForgesIsStripped) {
  api::ReviewRequest request = ByScheduler("mutate-bindings-CREATE");
  request.object["metadata"]["annotations"] = {{"aliquot.io/allocation", "forged"},
                                               {"tencent.com/predicate-gpu-idx-1", "7"},
                                               {"example.org/x", "kept"}};
  request.object["metadata"]["labels"] = {{"aliquot.io/gpu", "false"},
                                          {"topology.kubernetes.io/zone", "a"}};

  FakeLedger ledger;
  const auto not_ours = StampBinding(request, StampOptions(), ledger);
  ASSERT_TRUE(not_ours.ok());
  json after = request.object.patch(not_ours->patch);
  EXPECT_EQ(after["metadata"]["annotations"], json::parse(R"({"example.org/x":"kept"})"));
  EXPECT_EQ(after["metadata"]["labels"], json::parse(R"({"topology.kubernetes.io/zone":"a"})"));
  EXPECT_EQ(not_ours->warnings.size(), 3u);

  ledger.answer = Cards();
  const auto ours = StampBinding(request, StampOptions(), ledger);
  after = request.object.patch(ours->patch);
  EXPECT_EQ(
      after["metadata"]["annotations"],
      json::parse(
          R"({"example.org/x":"kept","aliquot.io/allocation":"{\"v\":1}","tencent.com/predicate-gpu-idx-0":"3"})"));
}

TEST(StampBinding, AnybodyElsesBindingHasItsCardsReservedAndNothingWritten) {
  FakeLedger ledger;
  ledger.answer = Cards();
  const auto response =
      StampBinding(RecordedReview("mutate-bindings-CREATE"), StampOptions(), ledger);
  ASSERT_TRUE(response.ok());
  EXPECT_TRUE(response->allowed);
  EXPECT_TRUE(response->patch.empty()) << response->patch;
  EXPECT_EQ(ledger.asked, (std::vector<std::string>{"default/adm3  n1"}));
  ledger.answer.outcome = StampDecision::Outcome::kDenied;
  ledger.answer.reason = "no room";
  EXPECT_FALSE(
      StampBinding(RecordedReview("mutate-bindings-CREATE"), StampOptions(), ledger)->allowed);
}

TEST(StampBinding, AnybodyElsesBindingThatBringsARecordIsDeniedAndReservesNothing) {
  FakeLedger ledger;
  ledger.answer = Cards();
  api::ReviewRequest request = RecordedReview("mutate-bindings-CREATE");
  request.object["metadata"]["annotations"] = {{"tencent.com/predicate-gpu-idx-1", "7"}};
  const auto response = StampBinding(request, StampOptions(), ledger);
  ASSERT_TRUE(response.ok());
  EXPECT_FALSE(response->allowed);
  EXPECT_EQ(response->message,
            "the Binding has annotation tencent.com/predicate-gpu-idx-1, and user admin is no "
            "configured scheduler; send it without, Aliquot records the GPUs itself "
            "(configuration admission.schedulerUsers names schedulers)");
  EXPECT_TRUE(ledger.asked.empty());
  StampOptions options;
  options.scheduler_users = {"system:kube-scheduler", "admin"};
  EXPECT_TRUE(StampBinding(request, options, ledger)->allowed);
}

TEST(StampBinding, ASecondReviewOfTheResultChangesNothing) {
  FakeLedger ledger;
  ledger.answer = Cards();
  api::ReviewRequest request = ByScheduler("mutate-bindings-CREATE");
  request.object = request.object.patch(StampBinding(request, StampOptions(), ledger)->patch);
  EXPECT_TRUE(StampBinding(request, StampOptions(), ledger)->patch.empty());
}

TEST(StampBinding, WhatTheApiServerWillRefuseReservesNothing) {
  FakeLedger ledger;
  ledger.answer = Cards();
  api::ReviewRequest other_name = RecordedReview("mutate-pods_binding-CREATE-default-binder");
  other_name.object["metadata"]["name"] = "another";
  EXPECT_TRUE(StampBinding(other_name, StampOptions(), ledger)->patch.empty());
  api::ReviewRequest other_kind = RecordedReview("mutate-pods_binding-CREATE-default-binder");
  other_kind.object["target"]["kind"] = "Pod";
  EXPECT_TRUE(StampBinding(other_kind, StampOptions(), ledger)->patch.empty());
  EXPECT_TRUE(ledger.asked.empty());
}

TEST(StampBinding, OtherReviewsAreAllowedUnchangedAndBrokenOnesAreErrors) {
  FakeLedger ledger;
  const auto pod = StampBinding(RecordedReview("mutate-pods-CREATE"), StampOptions(), ledger);
  EXPECT_TRUE(pod.ok() && pod->allowed && pod->patch.empty());
  api::ReviewRequest request = ByScheduler("mutate-bindings-CREATE");
  request.object["metadata"]["annotations"] = "x";
  EXPECT_EQ(StampBinding(request, StampOptions(), ledger).status().message(),
            "the Binding: metadata.annotations is not an object; send the Binding as the API "
            "server does");
  request.object = nullptr;
  EXPECT_FALSE(StampBinding(request, StampOptions(), ledger).ok());
  request = ByScheduler("mutate-bindings-CREATE");
  request.object["target"]["name"] = 7;
  EXPECT_FALSE(StampBinding(request, StampOptions(), ledger).ok());
  EXPECT_TRUE(ledger.asked.empty());
}

TEST(StampBinding, AnInvalidKeyNeverReachesTheApiServer) {
  FakeLedger ledger;
  ledger.answer = Cards();
  ledger.answer.annotations["aliquot.io/"] = "x";
  const auto response = StampBinding(ByScheduler("mutate-bindings-CREATE"), StampOptions(), ledger);
  EXPECT_EQ(response.status().code(), StatusCode::kInternal);
}

}  // namespace
}  // namespace aliquot::admission
