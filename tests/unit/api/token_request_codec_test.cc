// SPDX-License-Identifier: Apache-2.0
#include "api/token_request_codec.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace aliquot::api {
namespace {

TEST(TokenRequestTest, AsksForOneAudienceAndALife) {
  EXPECT_EQ(nlohmann::json::parse(FormatTokenRequest("aliquot-agent", kShortestTokenLife)),
            nlohmann::json::parse(R"({"apiVersion":"authentication.k8s.io/v1","kind":"TokenRequest",
              "spec":{"audiences":["aliquot-agent"],"expirationSeconds":600}})"));
}

TEST(TokenRequestTest, ReadsTheToken) {
  const auto token = ParseTokenRequest(R"({"kind":"TokenRequest","status":{"token":"a.b.c"}})");
  ASSERT_TRUE(token.ok());
  EXPECT_EQ(*token, "a.b.c");
}

TEST(TokenRequestTest, WhatCannotBeAHeaderIsNone) {
  for (const char* text : {"", "[]", "{}", R"({"status":"Failure"})", R"({"status":{"token":""}})",
                           R"({"status":{"token":7}})", R"({"status":{"token":"a\nb"}})",
                           R"({"status":{"token":"ü"}})"}) {
    EXPECT_FALSE(ParseTokenRequest(text).ok()) << text;
  }
}

}  // namespace
}  // namespace aliquot::api
