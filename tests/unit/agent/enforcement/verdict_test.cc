// SPDX-License-Identifier: Apache-2.0
#include "agent/enforcement/verdict.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace aliquot::agent {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> Names(const std::vector<ShareVerdict>& verdicts) {
  std::vector<std::string> names;
  for (const ShareVerdict& each : verdicts) {
    names.emplace_back(VerdictName(each.verdict));
  }
  return names;
}

// 1000 bytes of limit, 100 for each context; one process with the library, 900 by the driver.
ShareFacts Sound() {
  ShareFacts facts;
  facts.processes = {{7, LoadedLibrary::kOurs, 900}};
  facts.limit_bytes = 1000;
  facts.context_bytes = 100;
  facts.held_before = facts.held_after = 850;
  return facts;
}

TEST(JudgeLook, AShareWithinItsLimitIsHeld) { EXPECT_THAT(JudgeLook(Sound()), IsEmpty()); }

TEST(JudgeLook, AProcessWithoutTheLibraryIsNamedAndNoOther) {
  ShareFacts facts = Sound();
  facts.processes.push_back({8, LoadedLibrary::kNone, 0});
  const auto verdicts = JudgeLook(facts);
  ASSERT_THAT(Names(verdicts), ElementsAre("no_library"));
  EXPECT_THAT(verdicts[0].processes, ElementsAre(8));
}

TEST(JudgeLook, AnotherLibraryOfThatNameIsItsOwnVerdict) {
  ShareFacts facts = Sound();
  facts.processes[0].library = LoadedLibrary::kOther;
  EXPECT_THAT(Names(JudgeLook(facts)), ElementsAre("wrong_library"));
}

TEST(JudgeLook, WhatProcDoesNotSayIsNoOffence) {
  ShareFacts facts = Sound();
  facts.processes[0].library = LoadedLibrary::kUnknown;
  EXPECT_THAT(JudgeLook(facts), IsEmpty());
}

// 1000 of limit + 100 for the one context.
TEST(JudgeLook, OverItsMemoryIsPastTheLimitAndTheContexts) {
  ShareFacts facts = Sound();
  facts.held_before = facts.held_after = 1000;
  facts.processes[0].driver_bytes = 1100;
  EXPECT_THAT(JudgeLook(facts), IsEmpty());
  facts.processes[0].driver_bytes = 1101;
  EXPECT_THAT(Names(JudgeLook(facts)), ElementsAre("over_memory"));
  facts.processes[0].driver_bytes = 1100;
  facts.processes.push_back({8, LoadedLibrary::kOurs, 99});  // 1199 of 1000 + 100 + 99
  EXPECT_THAT(JudgeLook(facts), IsEmpty());
  facts.processes[0].driver_bytes = 1101;
  EXPECT_THAT(Names(JudgeLook(facts)), ElementsAre("over_memory")) << "a small one gives no room";
}

// 900 by the driver, 700 charged and 100 for the context.
TEST(JudgeLook, FarLessChargedThanCountedIsToldWithinTheLimitToo) {
  ShareFacts facts = Sound();
  facts.held_before = 799;
  facts.held_after = 700;
  EXPECT_THAT(Names(JudgeLook(facts)), ElementsAre("usage_low"));
  EXPECT_FALSE(EndsProcesses(Verdict::kUsageLow));
  facts.held_before = 800;
  EXPECT_THAT(JudgeLook(facts), IsEmpty());
}

TEST(JudgeLook, ADamagedUsageFileMattersWhileSomebodyIsOnTheCard) {
  ShareFacts facts = Sound();
  facts.usage_readable = false;
  EXPECT_THAT(Names(JudgeLook(facts)), ElementsAre("usage_damaged"));
  facts.processes.clear();
  EXPECT_THAT(JudgeLook(facts), IsEmpty());
}

TEST(JudgeLook, HugeChargesDoNotWrap) {
  ShareFacts facts = Sound();
  facts.held_before = ~std::uint64_t{0};
  facts.processes[0].driver_bytes = ~std::uint64_t{0};
  facts.processes.push_back({8, LoadedLibrary::kOurs, ~std::uint64_t{0}});
  EXPECT_THAT(Names(JudgeLook(facts)), ElementsAre("over_memory"));
}

TEST(ShareJudge, AFigureCountsFromTheSecondLookInARow) {
  ShareJudge judge;
  ShareFacts over = Sound();
  over.processes[0].driver_bytes = 5000;
  EXPECT_THAT(judge.Look(over), IsEmpty());
  EXPECT_THAT(Names(judge.Look(over)), ElementsAre("over_memory"));
  EXPECT_THAT(judge.Look(Sound()), IsEmpty());
  EXPECT_THAT(judge.Look(over), IsEmpty()) << "in a row";
}

// A process that runs another program is on the card for a moment without its libraries.
TEST(ShareJudge, AMissingLibraryCountsFromTheSecondLookAtThatProcess) {
  ShareJudge judge;
  ShareFacts facts = Sound();
  facts.processes[0].library = LoadedLibrary::kNone;
  EXPECT_THAT(judge.Look(facts), IsEmpty());
  facts.processes[0].library = LoadedLibrary::kOurs;
  facts.processes.push_back({8, LoadedLibrary::kNone, 0});
  EXPECT_THAT(judge.Look(facts), IsEmpty()) << "another one";
  facts.processes.push_back({9, LoadedLibrary::kNone, 0});
  const auto verdicts = judge.Look(facts);
  ASSERT_THAT(Names(verdicts), ElementsAre("no_library"));
  EXPECT_THAT(verdicts[0].processes, ElementsAre(8));
}

}  // namespace
}  // namespace aliquot::agent
