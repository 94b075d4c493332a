// SPDX-License-Identifier: Apache-2.0
#include "model/disruption_budget.h"

#include <gtest/gtest.h>

namespace aliquot::model {
namespace {

using Operator = LabelRequirement::Operator;

Labels LabelsOf(const std::vector<std::pair<std::string, std::string>>& pairs) {
  Labels labels;
  for (const auto& [key, value] : pairs) {
    labels.Add(key, value);
  }
  return labels;
}

DisruptionBudget BudgetOf(const std::vector<LabelRequirement>& selector) {
  DisruptionBudget budget;
  budget.selector = selector;
  return budget;
}

TEST(Labels, FindsWholeKeysOnly) {
  const Labels labels = LabelsOf({{"app", "db"}, {"app.kubernetes.io/name", "x"}, {"empty", ""}});
  EXPECT_EQ(labels.Find("app"), "db");
  EXPECT_EQ(labels.Find("app.kubernetes.io/name"), "x");
  EXPECT_EQ(labels.Find("empty"), "");
  EXPECT_FALSE(labels.Find("ap"));
  EXPECT_FALSE(labels.Find("db"));
}

TEST(Labels, ALineBreakCannotForgeALabel) {
  const Labels labels = LabelsOf({{"a", "1\napp=db"}, {"x=app", "db"}});
  EXPECT_FALSE(labels.Find("app"));
  EXPECT_TRUE(labels.empty());
}

TEST(Covers, EveryLineMustHold) {
  const DisruptionBudget budget =
      BudgetOf({{"app", Operator::kIn, {"db", "cache"}}, {"tier", Operator::kNotIn, {"test"}}});
  EXPECT_TRUE(Covers(budget, "p", LabelsOf({{"app", "db"}, {"tier", "live"}})));
  EXPECT_TRUE(Covers(budget, "p", LabelsOf({{"app", "cache"}}))) << "NotIn holds without the key";
  EXPECT_FALSE(Covers(budget, "p", LabelsOf({{"app", "db"}, {"tier", "test"}})));
  EXPECT_FALSE(Covers(budget, "p", LabelsOf({{"app", "web"}})));
}

TEST(Covers, KeysMayBeAskedForOrForbidden) {
  const DisruptionBudget budget =
      BudgetOf({{"app", Operator::kExists, {}}, {"canary", Operator::kDoesNotExist, {}}});
  EXPECT_TRUE(Covers(budget, "p", LabelsOf({{"app", ""}})));
  EXPECT_FALSE(Covers(budget, "p", LabelsOf({{"app", "x"}, {"canary", "y"}})));
  EXPECT_FALSE(Covers(budget, "p", LabelsOf({{"other", "x"}})));
}

// The three cases of kube-scheduler's filterPodsWithPDBViolation.
TEST(Covers, AnEmptySelectorAPodWithoutLabelsAndADisruptedPodAreLeftOut) {
  EXPECT_FALSE(Covers(BudgetOf({}), "p", LabelsOf({{"app", "db"}})));
  EXPECT_FALSE(Covers(BudgetOf({{"canary", Operator::kDoesNotExist, {}}}), "p", Labels()));
  DisruptionBudget budget = BudgetOf({{"app", Operator::kExists, {}}});
  budget.disrupted_pods = {"p"};
  EXPECT_FALSE(Covers(budget, "p", LabelsOf({{"app", "db"}})));
  EXPECT_TRUE(Covers(budget, "q", LabelsOf({{"app", "db"}})));
}

TEST(Covers, AnUnreadableSelectorMatchesNothing) {
  DisruptionBudget budget = BudgetOf({{"app", Operator::kExists, {}}});
  budget.unreadable_selector = true;
  EXPECT_FALSE(Covers(budget, "p", LabelsOf({{"app", "db"}})));
}

}  // namespace
}  // namespace aliquot::model
