// SPDX-License-Identifier: Apache-2.0
#include "api/admission_wire.h"

#include <absl/strings/escaping.h>
#include <gtest/gtest.h>

#include "tests/unit/api/recorded.h"

namespace aliquot::api {
namespace {

using nlohmann::json;

std::string Refusal(const std::string& body) {
  return ParseAdmissionReview(body).status().message();
}

std::string ReviewWith(const std::string& request) {
  return R"({"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":)" + request +
         "}";
}

TEST(ParseAdmissionReview, ReadsWhatKubeApiserverSends) {
  const auto pod = ParseAdmissionReview(Recorded("admission/mutate-pods-CREATE.json"));
  ASSERT_TRUE(pod.ok()) << pod.status().ToString();
  EXPECT_FALSE(pod->uid.empty());
  EXPECT_EQ(pod->kind, "Pod");
  EXPECT_EQ(pod->resource, "pods");
  EXPECT_EQ(pod->operation, "CREATE");
  EXPECT_EQ(pod->namespace_name, "default");
  EXPECT_FALSE(pod->dry_run);
  EXPECT_TRUE(pod->object.contains("spec"));

  EXPECT_TRUE(ParseAdmissionReview(Recorded("admission/mutate-pods-CREATE-dryrun.json"))->dry_run);
  EXPECT_EQ(ParseAdmissionReview(Recorded("admission/mutate-pods-CREATE-generateName.json"))->name,
            "");
  EXPECT_TRUE(
      ParseAdmissionReview(Recorded("admission/validate-pods-DELETE.json"))->object.is_null());

  const auto binding =
      ParseAdmissionReview(Recorded("admission/mutate-pods_binding-CREATE-default-binder.json"));
  ASSERT_TRUE(binding.ok());
  EXPECT_EQ(binding->kind, "Binding");
  EXPECT_EQ(binding->subresource, "binding");
  EXPECT_EQ(binding->username, "system:kube-scheduler");
  EXPECT_EQ(binding->name, "adm2");
}

std::string Repeated(const std::string& item, std::size_t count) {
  std::string list = "[";
  for (std::size_t i = 0; i < count; ++i) {
    list += (i == 0 ? "" : ",") + item;
  }
  return list + "]";
}

TEST(ParseAdmissionReview, ALongListOfObjectsTakesTimeByItsLengthNotBySquare) {
  constexpr std::size_t kObjects = 240000;  // by the square they would take minutes
  const auto review = ParseAdmissionReview(
      ReviewWith(R"({"uid":"u","object":{"env":)" + Repeated("{}", kObjects) + "}}"));
  ASSERT_TRUE(review.ok()) << review.status().ToString();
  EXPECT_EQ(review->object["env"].size(), kObjects);
}

TEST(ParseAdmissionReview, MoreValuesThanAnObjectOfTheApiServerCanHoldAreRefused) {
  for (const char* item : {"{}", "[[]]", "\"\"", "0"}) {
    EXPECT_EQ(Refusal(ReviewWith(R"({"uid":"u","object":)" + Repeated(item, 510000) + "}")),
              "the AdmissionReview holds more than 500000 values; send a smaller object")
        << item;
  }
}

TEST(ParseAdmissionReview, BracketsAndCommasInTextAreNotStructure) {
  const std::string text = std::string(100, '[') + std::string(510000, ',') + R"(\"\\)";
  const auto review = ParseAdmissionReview(ReviewWith(R"({"uid":"u","object":")" + text + "\"}"));
  ASSERT_TRUE(review.ok()) << review.status().ToString();
  EXPECT_EQ(review->object.get<std::string>().size(), 510102u);
}

TEST(ParseAdmissionReview, BadBodiesAreRefusedInOneSentence) {
  EXPECT_EQ(
      Refusal("{"),
      "the AdmissionReview is not JSON in UTF-8, or is cut short; send one complete JSON value");
  EXPECT_EQ(
      Refusal("\"\xff\""),
      "the AdmissionReview is not JSON in UTF-8, or is cut short; send one complete JSON value");
  EXPECT_EQ(Refusal("[]"), "the AdmissionReview is not an object; send admission.k8s.io/v1");
  EXPECT_EQ(Refusal(R"({"apiVersion":"admission.k8s.io/v1beta1","kind":"AdmissionReview"})"),
            "the AdmissionReview is of kind \"AdmissionReview\" and apiVersion "
            "\"admission.k8s.io/v1beta1\"; send an "
            "AdmissionReview of admission.k8s.io/v1");
  EXPECT_EQ(Refusal(ReviewWith("null")),
            "the AdmissionReview: request is missing or not an object; send one");
  EXPECT_EQ(Refusal(ReviewWith("{}")),
            "the AdmissionReview: request.uid is \"\"; send the review's UID");
  EXPECT_EQ(
      Refusal(ReviewWith(R"({"uid":"u","operation":1})")),
      "the AdmissionReview: request.operation is not a string; send what the API server sends");
  EXPECT_EQ(Refusal(ReviewWith(R"({"uid":"u","kind":"Pod"})")),
            "the AdmissionReview: request.kind is not an object; send what the API server sends");
  EXPECT_EQ(Refusal(ReviewWith(R"({"uid":"u","dryRun":"no"})")),
            "the AdmissionReview: request.dryRun is not a boolean; send true or false");
}

TEST(ParseAdmissionReview, DepthIsBoundedBeforeATreeIsBuilt) {
  const std::string deep = std::string(100000, '[') + std::string(100000, ']');
  EXPECT_EQ(Refusal(ReviewWith(R"({"uid":"u","object":)" + deep + "}")),
            "the AdmissionReview is nested deeper than 64 levels; send less nesting");
  std::string objects;
  for (int i = 0; i < 100000; ++i) {
    objects += "{\"a\":";
  }
  EXPECT_EQ(Refusal(objects),
            "the AdmissionReview is nested deeper than 64 levels; send less nesting");
}

TEST(ParseAdmissionReview, EveryTruncationIsRefused) {
  const std::string body = Recorded("admission/mutate-pods-CREATE.json");
  const std::size_t end = body.find_last_not_of('\n');
  for (std::size_t length = 0; length <= end; ++length) {
    EXPECT_FALSE(ParseAdmissionReview(body.substr(0, length)).ok()) << length;
  }
}

TEST(FormatAdmissionReview, AllowsWithAPatchAndWarnings) {
  ReviewResponse response;
  response.patch = json::parse(R"([{"op":"add","path":"/metadata/labels","value":{"a":"é"}}])");
  response.warnings = {"line\nbreak", std::string(300, 'w')};
  const json review = json::parse(FormatAdmissionReview("u-1", response));
  EXPECT_EQ(review["apiVersion"], "admission.k8s.io/v1");
  EXPECT_EQ(review["kind"], "AdmissionReview");
  const json& answer = review["response"];
  EXPECT_EQ(answer["uid"], "u-1");
  EXPECT_EQ(answer["allowed"], true);
  EXPECT_EQ(answer["patchType"], "JSONPatch");
  std::string patch;
  ASSERT_TRUE(absl::Base64Unescape(answer["patch"].get<std::string>(), &patch));
  EXPECT_EQ(json::parse(patch), response.patch);
  EXPECT_EQ(answer["warnings"][0], "line?break");
  EXPECT_EQ(answer["warnings"][1].get<std::string>(), std::string(253, 'w') + "...");
  EXPECT_FALSE(answer.contains("status"));
}

TEST(FormatAdmissionReview, WithoutAChangeThereIsNeitherPatchNorPatchType) {
  ReviewResponse response;
  response.patch = json::array();
  const json answer = json::parse(FormatAdmissionReview("u", response))["response"];
  EXPECT_EQ(answer, json::parse(R"({"uid":"u","allowed":true})"));
}

TEST(FormatAdmissionReview, ARefusalSaysWhy) {
  ReviewResponse response;
  response.allowed = false;
  response.code = 422;
  response.reason = "Invalid";
  response.message = "one sentence";
  response.patch = json::parse(R"([{"op":"add","path":"/x","value":1}])");
  const json answer = json::parse(FormatAdmissionReview("u", response))["response"];
  EXPECT_EQ(answer["allowed"], false);
  EXPECT_EQ(answer["status"]["code"], 422);
  EXPECT_EQ(answer["status"]["reason"], "Invalid");
  EXPECT_EQ(answer["status"]["message"], "one sentence");
  EXPECT_FALSE(answer.contains("patch"));
}

TEST(FormatAdmissionReview, WarningsStayWithinWhatTheApiServerPassesOn) {
  ReviewResponse response;
  response.warnings.assign(100, std::string(200, 'w'));
  const json answer = json::parse(FormatAdmissionReview("u", response))["response"];
  EXPECT_EQ(answer["warnings"].size(), 20u);
}

}  // namespace
}  // namespace aliquot::api
