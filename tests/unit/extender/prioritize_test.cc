// SPDX-License-Identifier: Apache-2.0
#include "extender/prioritize.h"

#include <algorithm>
#include <map>

#include "tests/unit/extender/extender_fixture.h"

namespace aliquot::extender {
namespace {

using nlohmann::json;
using Names = std::vector<std::string>;

class PrioritizeTest : public ExtenderFixture {
 protected:
  PrioritizeTest() : ExtenderFixture("binpack") {}

  std::map<std::string, int> Ask(const model::Pod& pod, const Names& names) {
    const Reply reply = prioritize_.Handle(ArgsFor(pod, names));
    EXPECT_EQ(reply.status, 200);
    std::map<std::string, int> scores;
    for (const json& row : json::parse(reply.body)) {
      EXPECT_TRUE(scores.emplace(row["Host"], row["Score"]).second);
    }
    return scores;
  }

  Prioritize prioritize_{ledger_, judge_, names_, clock_, metrics_, log_};
};

TEST_F(PrioritizeTest, TheBestNodeAloneGetsTen) {
  AddNode("n1", 1);
  AddNode("n2", 1);
  AddNode("n3", 1);
  Occupy("n2", "a", 60, 8);  // binpack prefers the fuller card
  Occupy("n3", "b", 30, 8);
  const auto scores = Ask(PodOf("p", 20, 8), {"n1", "n2", "n3"});
  EXPECT_EQ(scores.at("n2"), 10);
  EXPECT_GT(scores.at("n2"), scores.at("n3"));
  EXPECT_GT(scores.at("n3"), scores.at("n1"));
  EXPECT_EQ(log_.lines(), Names{"prioritize ranked n2"});
}

TEST_F(PrioritizeTest, EqualNodesStillHaveOneBest) {
  AddNode("n1", 1);
  AddNode("n2", 1);
  AddNode("n3", 1);
  const auto scores = Ask(PodOf("p", 20, 8), {"n3", "n2", "n1"});
  EXPECT_EQ(scores.at("n1"), 10);
  EXPECT_LT(scores.at("n2"), 10);
  EXPECT_EQ(scores.at("n2"), scores.at("n3"));
}

TEST_F(PrioritizeTest, NodesThatNoLongerFitOrAreUnknownGetZero) {
  AddNode("n1", 1);
  AddNode("n2", 1);
  Occupy("n1", "a", 95, 8);
  const auto scores = Ask(PodOf("p", 20, 8), {"n1", "n2", "gone"});
  EXPECT_EQ(scores, (std::map<std::string, int>{{"n1", 0}, {"n2", 10}, {"gone", 0}}));
}

TEST_F(PrioritizeTest, APodBeingBoundHasItsNode) {
  AddNode("n1", 1);
  AddNode("n2", 1);
  const model::Pod pod = PodOf("p", 60, 8);
  ASSERT_EQ(ledger_.Commit(RequestFor(pod, "n2")).outcome, ledger::CommitOutcome::kReserved);
  EXPECT_EQ(Ask(pod, {"n1", "n2"}), (std::map<std::string, int>{{"n1", 0}, {"n2", 10}}));
}

TEST_F(PrioritizeTest, ADemandThatBreaksTheModelRanksNothing) {
  AddNode("n1", 2);
  EXPECT_EQ(Ask(PodOf("p", 150, 0), {"n1"}), (std::map<std::string, int>{{"n1", 0}}));
  ASSERT_EQ(log_.lines().size(), 1u);
  EXPECT_NE(log_.lines()[0].find("tencent.com/vcuda-core is 150"), std::string::npos)
      << log_.lines()[0];
}

TEST_F(PrioritizeTest, TheLogSaysWhyNothingWasRanked) {
  AddNode("n1", 1);
  Occupy("n1", "a", 95, 8);
  Ask(PodOf("p", 20, 8), {"n1"});
  EXPECT_EQ(log_.lines(), Names{"prioritize refused: no node that was asked about holds the pod"});
}

TEST_F(PrioritizeTest, ABodyThatCannotBeUsedIsAnsweredWith400AndOneSentence) {
  for (const char* body : {"", "{", "[]", "{\"Pod\":{},\"NodeNames\":{}}"}) {
    const Reply reply = prioritize_.Handle(body);
    EXPECT_EQ(reply.status, 400) << body;
    EXPECT_FALSE(reply.body.empty()) << body;
    EXPECT_EQ(reply.body.find('\n'), std::string::npos) << body;
  }
}

TEST_F(PrioritizeTest, TheOrderOfTheNamesDecidesNothing) {
  Names names;
  for (int i = 0; i < 20; ++i) {
    const std::string node = "n" + std::to_string(i);
    AddNode(node, 2);
    Occupy(node, "f" + node, 5 + (i * 7) % 60, 4);
    names.push_back(node);
  }
  model::Pod pod = PodOf("p", 20, 4);
  AddContainer(pod, "second", model::ContainerKind::kApp, 1, 25, 4);
  const auto expected = Ask(pod, names);
  std::reverse(names.begin(), names.end());
  EXPECT_EQ(Ask(pod, names), expected);
}

TEST_F(PrioritizeTest, ChangesNothingAndRemembersNothing) {
  AddNode("n1", 1);
  const auto before = ledger_.generation();
  Ask(PodOf("p", 20, 8), {"n1"});
  EXPECT_EQ(ledger_.generation(), before);
  EXPECT_EQ(pending_.size(), 0u);
}

}  // namespace
}  // namespace aliquot::extender
