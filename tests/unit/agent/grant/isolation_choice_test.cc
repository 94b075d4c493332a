// SPDX-License-Identifier: Apache-2.0
#include "agent/grant/isolation_choice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace aliquot::agent {
namespace {

using testing::HasSubstr;

// What a node has, and what it gives: "library", "library+limits", "driver+limits", "none", or the
// refusal.
struct Node {
  bool library = true;
  bool driver = false;
  bool allow_none = false;
};

std::string Choice(const std::string& asked, const Node& node, bool whole = false) {
  IsolationFacts facts;
  facts.asked = asked;
  facts.whole = whole;
  facts.library = node.library;
  facts.driver_limits_problem = node.driver ? "" : "needs a newer driver";
  facts.allow_none = node.allow_none;
  const auto choice = ChooseIsolation(facts);
  if (!choice.ok()) {
    return choice.status().message();
  }
  EXPECT_EQ(choice->library, choice->enforcement == "library");
  return choice->enforcement + (choice->driver_limits ? "+limits" : "");
}

constexpr Node kLibrary{true, false, false};
constexpr Node kDriver{false, true, false};
constexpr Node kBoth{true, true, false};
constexpr Node kNothing{false, false, false};

TEST(ChooseIsolation, AutoTakesTheStrongestThatTheNodeHas) {
  EXPECT_EQ(Choice("auto", kBoth), "library+limits");
  EXPECT_EQ(Choice("auto", kLibrary), "library");
  EXPECT_EQ(Choice("auto", kDriver), "driver+limits");
  EXPECT_EQ(Choice("auto", kNothing), "none");
}

TEST(ChooseIsolation, TheLibraryIsHadOrRefused) {
  EXPECT_EQ(Choice("library", kBoth), "library");
  EXPECT_EQ(Choice("library", kDriver),
            "asks for isolation library (annotation aliquot.io/isolation), which needs an "
            "enforcement library, and this node has none; set library.path for the node");
}

TEST(ChooseIsolation, TheDriverIsHadWithoutTheLibraryOrRefused) {
  EXPECT_EQ(Choice("driver", kBoth), "driver+limits");
  EXPECT_EQ(Choice("driver", kLibrary),
            "asks for isolation driver (annotation aliquot.io/isolation), which needs a newer "
            "driver");
}

TEST(ChooseIsolation, NothingWeakerThanTheNodesDefaultUnlessTheNodeAllowsIt) {
  EXPECT_THAT(Choice("none", kLibrary), HasSubstr("gives to whole cards only"));
  EXPECT_THAT(Choice("none", kDriver), HasSubstr("gives to whole cards only"));
  EXPECT_EQ(Choice("none", {true, false, true}), "none");
  EXPECT_EQ(Choice("none", kNothing), "none") << "that is its default";
}

TEST(ChooseIsolation, AWholeCardNeedsNobodyToHoldIt) {
  EXPECT_EQ(Choice("auto", kBoth, true), "library") << "it shows and counts";
  EXPECT_EQ(Choice("none", kBoth, true), "none");
  EXPECT_EQ(Choice("driver", kLibrary, true), "none");
  EXPECT_EQ(Choice("library", kNothing, true), "none");
}

TEST(ChooseIsolation, WhatComesLaterAndWhatIsUnknownIsRefused) {
  EXPECT_THAT(Choice("mps", kBoth), HasSubstr("is not there yet in this version"));
  EXPECT_THAT(Choice("mig", kBoth, true), HasSubstr("is not there yet in this version"));
  EXPECT_THAT(Choice("strong", kBoth), HasSubstr("this agent does not know"));
}

}  // namespace
}  // namespace aliquot::agent
