// SPDX-License-Identifier: Apache-2.0
#include "api/bind_wire.h"

#include <gtest/gtest.h>

#include "tests/unit/api/recorded.h"

namespace aliquot::api {
namespace {

std::string Refusal(const std::string& body) { return ParseBindArgs(body).status().message(); }

TEST(ParseBindArgs, ReadsWhatKubeSchedulerSends) {
  const auto args = ParseBindArgs(Recorded("extender/names/bind-simple.json"));
  ASSERT_TRUE(args.ok()) << args.status().ToString();
  EXPECT_EQ(args->pod.ToString(), "default/simple");
  EXPECT_EQ(args->uid, "2f472cb7-52bc-4c6e-92e6-74c5b024fb96");
  EXPECT_EQ(args->node.substr(0, 1), "n");
}

TEST(ParseBindArgs, KeysMayComeInAnyLetterCase) {
  EXPECT_TRUE(ParseBindArgs(R"({"podname":"p","podNamespace":"ns","podUID":"u","node":"n"})").ok());
}

TEST(ParseBindArgs, EveryFieldIsRequiredAndSafeInAPath) {
  EXPECT_EQ(Refusal(R"({"PodName":"p","PodNamespace":"ns","Node":"n"})"),
            "the request body: PodUID is missing; send PodName, PodNamespace, PodUID and Node");
  EXPECT_EQ(Refusal(R"({"PodName":"../secrets","PodNamespace":"ns","PodUID":"u","Node":"n"})"),
            "the request body: PodName is \"../secrets\"; send a valid Kubernetes name");
  EXPECT_EQ(Refusal(R"({"PodName":"p","PodNamespace":"a.b","PodUID":"u","Node":"n"})"),
            "the request body: PodNamespace is \"a.b\"; send a valid Kubernetes name");
  EXPECT_EQ(Refusal(R"({"PodName":"p","PodNamespace":"ns","PodUID":"u","Node":""})"),
            "the request body: Node is \"\"; send a valid Kubernetes name");
  EXPECT_EQ(Refusal(R"({"PodName":1,"PodNamespace":"ns","PodUID":"u","Node":"n"})"),
            "the request body: PodName is a number; it must be a string");
  EXPECT_EQ(Refusal("{"),
            "the request body is not JSON, or is cut short; send one complete JSON value");
}

TEST(WriteBindResult, AnEmptyErrorMeansBound) {
  std::string out;
  WriteBindResult(out, "");
  EXPECT_EQ(out, R"({"Error":""})");
  out.clear();
  WriteBindResult(out, "node \"n1\" has no room");
  EXPECT_EQ(out, R"({"Error":"node \"n1\" has no room"})");
}

}  // namespace
}  // namespace aliquot::api
