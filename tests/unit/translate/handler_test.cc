// SPDX-License-Identifier: Apache-2.0
#include "translate/handler.h"

#include <absl/strings/escaping.h>

#include "tests/unit/translate/translated.h"

namespace aliquot::translate {
namespace {

std::string Review(const json& pod, const std::string& operation = "CREATE") {
  return json({{"apiVersion", "admission.k8s.io/v1"},
               {"kind", "AdmissionReview"},
               {"request",
                {{"uid", "review-1"},
                 {"kind", {{"group", ""}, {"version", "v1"}, {"kind", "Pod"}}},
                 {"resource", {{"group", ""}, {"version", "v1"}, {"resource", "pods"}}},
                 {"name", "p"},
                 {"namespace", "ns"},
                 {"operation", operation},
                 {"object", pod}}}})
      .dump();
}

json ResponseOf(const admission::ReviewReply& reply) {
  EXPECT_EQ(reply.status, 200) << reply.body;
  return json::parse(reply.body)["response"];
}

TEST(HandleTranslate, PatchesAndWarns) {
  const json pod = PodWith({{"nvidia.com/gpu", "2"}});
  const admission::ReviewReply reply = HandleTranslate(Review(pod), Scheme::kNvidia, {});
  const json response = ResponseOf(reply);
  EXPECT_EQ(response["allowed"], true);
  EXPECT_EQ(reply.outcome, admission::ReviewOutcome::kPatched);
  std::string patch;
  ASSERT_TRUE(absl::Base64Unescape(response["patch"].get<std::string>(), &patch));
  EXPECT_EQ(LimitsOf(pod.patch(json::parse(patch))), json({{"tencent.com/vcuda-core", "200"}}));
  EXPECT_EQ(response["warnings"].size(), 1u);
}

TEST(HandleTranslate, RefusesWhatCannotBeTranslated) {
  const json response =
      ResponseOf(HandleTranslate(Review(PodWith({{"nvidia.com/gpu", "x"}})), Scheme::kHami, {}));
  EXPECT_EQ(response["allowed"], false);
  EXPECT_EQ(response["status"]["code"], 422);
}

TEST(HandleTranslate, LeavesEverythingElseAlone) {
  EXPECT_FALSE(ResponseOf(HandleTranslate(Review(PodWith({{"cpu", "1"}})), Scheme::kHami, {}))
                   .contains("patch"));
  EXPECT_FALSE(ResponseOf(HandleTranslate(Review(PodWith({{"nvidia.com/gpu", "1"}}), "UPDATE"),
                                          Scheme::kHami, {}))
                   .contains("patch"));
  EXPECT_EQ(HandleTranslate("{", Scheme::kHami, {}).status, 400);
}

}  // namespace
}  // namespace aliquot::translate
