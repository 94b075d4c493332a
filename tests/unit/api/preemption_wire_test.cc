// SPDX-License-Identifier: Apache-2.0
#include "api/preemption_wire.h"

#include <gtest/gtest.h>

#include "api/json_document.h"
#include "tests/unit/api/recorded.h"

namespace aliquot::api {
namespace {

using Uids = std::vector<std::string_view>;

Result<PreemptionArgs> Parse(const std::string& body) {
  return ParsePreemptionArgs(body, model::ResourceNames());
}
std::string Refusal(const std::string& body) { return Parse(body).status().message(); }

TEST(ParsePreemptionArgs, ReadsARealRequestWithUids) {
  const auto args = Parse(Recorded("extender/names/preempt.json"));
  ASSERT_TRUE(args.ok()) << args.status().ToString();
  EXPECT_EQ(args->pod.key.ToString(), "default/vip");
  EXPECT_EQ(args->pod.priority, 1000000);
  EXPECT_EQ(args->pod.gpu_containers.size(), 1u);
  ASSERT_EQ(args->nodes.size(), 3u);
  EXPECT_EQ(args->nodes[0].node, "n1");
  EXPECT_EQ(args->nodes[0].uids,
            Uids({"d1e16b54-6067-4513-827f-383a16614143", "97089816-f069-4d06-879c-f8d6fdb1d898"}));
  EXPECT_EQ(args->nodes[0].pdb_violations, 0);
  EXPECT_EQ(args->nodes[2].node, "n3");
}

TEST(ParsePreemptionArgs, ReadsARealRequestWithWholePods) {
  const auto args = Parse(Recorded("extender/nodes/preempt.json"));
  ASSERT_TRUE(args.ok()) << args.status().ToString();
  ASSERT_FALSE(args->nodes.empty());
  for (const NodeVictims& node : args->nodes) {
    ASSERT_FALSE(node.uids.empty()) << node.node;
    EXPECT_EQ(node.uids[0].size(), 36u) << node.uids[0];
  }
}

TEST(ParsePreemptionArgs, ReadsTheNewestMinorsRequest) {
  const auto args = Parse(Recorded("extender-1.37/names/preempt.json"));
  ASSERT_TRUE(args.ok()) << args.status().ToString();
  EXPECT_FALSE(args->nodes.empty());
}

TEST(ParsePreemptionArgs, KeysInAnyCaseAndViolationsAreRead) {
  const auto args =
      Parse(R"({"pod":{"metadata":{"name":"p"}},"nodenametometavictims":)"
            R"({"b":{"pods":[{"uid":"u2"}],"numpdbviolations":2},"a":{"Pods":[{"UID":"u1"}]}}})");
  ASSERT_TRUE(args.ok()) << args.status().ToString();
  ASSERT_EQ(args->nodes.size(), 2u);
  EXPECT_EQ(args->nodes[0].node, "a") << "sorted by name";
  EXPECT_EQ(args->nodes[1].uids, Uids({"u2"}));
  EXPECT_EQ(args->nodes[1].pdb_violations, 2);
}

TEST(ParsePreemptionArgs, OfARepeatedNodeTheLastHolds) {
  const auto args = Parse(R"({"Pod":{},"NodeNameToMetaVictims":)"
                          R"({"a":{"Pods":[{"UID":"u1"}]},"a":{"Pods":[{"UID":"u2"}]}}})");
  ASSERT_TRUE(args.ok()) << args.status().ToString();
  ASSERT_EQ(args->nodes.size(), 1u);
  EXPECT_EQ(args->nodes[0].uids, Uids({"u2"}));
}

TEST(ParsePreemptionArgs, OneSentenceForWhatCannotBeUsed) {
  EXPECT_EQ(Refusal(""), "the request body is empty; send JSON");
  EXPECT_EQ(Refusal(R"({"NodeNameToMetaVictims":{}})"),
            "the request body: Pod is missing; send the pod to place");
  EXPECT_EQ(Refusal(R"({"Pod":{},"NodeNameToVictims":null,"NodeNameToMetaVictims":null})"),
            "the request body: NodeNameToMetaVictims and NodeNameToVictims are both missing; send "
            "the candidates");
  EXPECT_EQ(Refusal(R"({"Pod":{},"NodeNameToMetaVictims":[]})"),
            "the request body: NodeNameToMetaVictims is a list; it must be an object");
  EXPECT_EQ(Refusal(R"({"Pod":{},"NodeNameToMetaVictims":{"a":{"Pods":[{}]}}})"),
            "the request body: NodeNameToMetaVictims.a.Pods[0].UID is missing; name each victim by "
            "its UID");
  EXPECT_EQ(
      Refusal(R"({"Pod":{},"NodeNameToVictims":{"a":{"Pods":[{"metadata":{"name":"p"}}]}}})"),
      "the request body: NodeNameToVictims.a.Pods[0].metadata.uid is missing; name each victim by "
      "its UID");
  EXPECT_NE(Refusal(R"({"Pod":{},"NodeNameToMetaVictims":{"a":{"NumPDBViolations":-1}}})")
                .find("NumPDBViolations"),
            std::string::npos);
  EXPECT_NE(Refusal(R"({"Pod":{"metadata":{"name":"A b"}},"NodeNameToMetaVictims":{}})")
                .find("metadata.name"),
            std::string::npos);
}

TEST(WritePreemptionResult, IsTheMetaFormWithGosKeys) {
  std::string out;
  WritePreemptionResult(out, {{"n\"1", {"u1", "u2"}, 1}, {"n2", {"u3"}, 0}});
  EXPECT_EQ(out, R"({"NodeNameToMetaVictims":{"n\"1":{"Pods":[{"UID":"u1"},{"UID":"u2"}],)"
                 R"("NumPDBViolations":1},"n2":{"Pods":[{"UID":"u3"}],"NumPDBViolations":0}}})");
  out.clear();
  WritePreemptionResult(out, {});
  EXPECT_EQ(out, R"({"NodeNameToMetaVictims":{}})");
}

}  // namespace
}  // namespace aliquot::api
