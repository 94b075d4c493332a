// SPDX-License-Identifier: Apache-2.0
#include "api/caller_review_codec.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace aliquot::api {
namespace {

using Json = nlohmann::json;

TEST(TokenReviewTest, AsksWithTheAudiencesOrForTheServersOwn) {
  EXPECT_EQ(Json::parse(FormatTokenReview("t", {"aliquot-agent"})),
            Json::parse(R"({"apiVersion":"authentication.k8s.io/v1","kind":"TokenReview",
                            "spec":{"token":"t","audiences":["aliquot-agent"]}})"));
  EXPECT_FALSE(Json::parse(FormatTokenReview("t", {}))["spec"].contains("audiences"));
}

TEST(TokenReviewTest, ReadsTheCallerWithGroupsAndExtra) {
  const auto answer = ParseTokenReview(R"({"kind":"TokenReview","status":{"authenticated":true,
    "user":{"username":"u","uid":"1","groups":["a","b"],"extra":{"k":["x"]}},"audiences":["q"]}})");
  ASSERT_TRUE(answer.ok()) << answer.status().message();
  EXPECT_TRUE(answer->authenticated);
  EXPECT_EQ(answer->caller.user, "u");
  EXPECT_EQ(answer->caller.uid, "1");
  EXPECT_EQ(answer->caller.groups, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(answer->caller.extra.at("k"), std::vector<std::string>{"x"});
  EXPECT_EQ(answer->audiences, std::vector<std::string>{"q"});
}

TEST(TokenReviewTest, ATokenThatIsNoneIsAnAnswer) {
  const auto answer =
      ParseTokenReview(R"({"kind":"TokenReview","status":{"error":"invalid bearer token"}})");
  ASSERT_TRUE(answer.ok());
  EXPECT_FALSE(answer->authenticated);
}

TEST(TokenReviewTest, WhatSaysYesWithoutAUserIsRefused) {
  for (
      const char* text :
      {"", "[]", "{}", R"({"kind":"TokenReview"})", R"({"kind":"Status","status":"Failure"})",
       R"({"kind":"TokenReview","status":{"authenticated":true}})",
       R"({"kind":"TokenReview","status":{"authenticated":true,"user":{"username":""}}})",
       R"({"kind":"TokenReview","status":{"authenticated":"yes","user":{"username":"u"}}})",
       R"({"kind":"TokenReview","status":{"authenticated":true,"user":{"username":"u","groups":[1]}}})",
       R"({"kind":"TokenReview","status":{"authenticated":true,"user":{"username":"u","extra":[]}}})"}) {
    EXPECT_FALSE(ParseTokenReview(text).ok()) << text;
  }
}

TEST(AccessReviewTest, AsksForGetOnThePathWithAllThatIsKnownOfTheCaller) {
  const ReviewedCaller caller{"u", "1", {"g"}, {{"k", {"x"}}}};
  EXPECT_EQ(Json::parse(FormatPathAccessReview(caller, "/verify")),
            Json::parse(R"({"apiVersion":"authorization.k8s.io/v1","kind":"SubjectAccessReview",
              "spec":{"user":"u","uid":"1","groups":["g"],"extra":{"k":["x"]},
                      "nonResourceAttributes":{"path":"/verify","verb":"get"}}})"));
}

TEST(AccessReviewTest, OnlyAPlainYesIsOne) {
  EXPECT_TRUE(*ParseAccessReview(R"({"kind":"SubjectAccessReview","status":{"allowed":true}})"));
  EXPECT_FALSE(*ParseAccessReview(R"({"kind":"SubjectAccessReview","status":{"allowed":false}})"));
  EXPECT_FALSE(*ParseAccessReview(
      R"({"kind":"SubjectAccessReview","status":{"allowed":true,"denied":true}})"));
  EXPECT_FALSE(ParseAccessReview(R"({"kind":"SubjectAccessReview","status":{"allowed":1}})").ok());
  EXPECT_FALSE(ParseAccessReview(R"({"kind":"TokenReview","status":{"allowed":true}})").ok());
  EXPECT_FALSE(ParseAccessReview("nonsense").ok());
}

}  // namespace
}  // namespace aliquot::api
