// SPDX-License-Identifier: Apache-2.0
#include "scoring/refusal.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace aliquot::scoring {
namespace {

TEST(Refusal, SentencesAreConstantShortAndDifferent) {
  std::set<std::string_view> sentences;
  std::set<std::string_view> names;
  for (const Refusal refusal : kAllRefusals) {
    const std::string_view sentence = RefusalSentence(refusal);
    EXPECT_LE(sentence.size(), 80u) << sentence;
    // A figure would change from try to try, and kube-scheduler would retry the pod at once.
    EXPECT_EQ(sentence.find_first_of("0123456789%"), std::string_view::npos) << sentence;
    // kube-scheduler joins reasons with commas of its own and ends the list itself.
    EXPECT_NE(sentence.back(), '.') << sentence;
    sentences.insert(sentence);
    names.insert(RefusalName(refusal));
  }
  EXPECT_EQ(sentences.size(), kAllRefusals.size());
  EXPECT_EQ(names.size(), kAllRefusals.size());
}

TEST(Refusal, NamesAreLabelValues) {
  for (const Refusal refusal : kAllRefusals) {
    EXPECT_EQ(RefusalName(refusal).find_first_not_of("abcdefghijklmnopqrstuvwxyz_"),
              std::string_view::npos);
  }
}

TEST(Refusal, OnlyWhatEndingPodsCanCureCouldFitLater) {
  for (const Refusal refusal :
       {Refusal::kNotOnOneCard, Refusal::kNotEnoughFree, Refusal::kTooFewIdleCards,
        Refusal::kSharersLimit, Refusal::kNvlinkedTaken, Refusal::kNumaTaken, Refusal::kNotTogether,
        Refusal::kClosed, Refusal::kClaimed}) {
    EXPECT_TRUE(CouldFitLater(refusal)) << RefusalName(refusal);
  }
  for (const Refusal refusal :
       {Refusal::kUnknownNode, Refusal::kNoInventory, Refusal::kBadInventory, Refusal::kLeaving,
        Refusal::kCordoned, Refusal::kNoUsableCard, Refusal::kNoSuchModel, Refusal::kNoSuchUuid,
        Refusal::kNotNvlinked, Refusal::kNotOneNuma, Refusal::kTooFewCards,
        Refusal::kCardTooSmall}) {
    EXPECT_FALSE(CouldFitLater(refusal)) << RefusalName(refusal);
  }
}

}  // namespace
}  // namespace aliquot::scoring
