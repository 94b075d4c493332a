// SPDX-License-Identifier: Apache-2.0
#include "api/disruption_budget_codec.h"

#include <gtest/gtest.h>

#include "api/list_codec.h"
#include "api/watch_codec.h"

namespace aliquot::api {
namespace {

using Operator = model::LabelRequirement::Operator;

// A list of one budget with this spec and status.
Result<ListPage<model::DisruptionBudget>> List(const std::string& spec_and_status) {
  return ParseDisruptionBudgetList(
      R"({"metadata":{"resourceVersion":"7"},"items":[{"metadata":{"name":"b","namespace":"ns",)"
      R"("resourceVersion":"5"},)" +
      spec_and_status + "}]}");
}

TEST(DecodeDisruptionBudget, ReadsSelectorAndStatus) {
  const auto page = List(
      R"("spec":{"minAvailable":1,"selector":{"matchLabels":{"app":"db"},"matchExpressions":)"
      R"([{"key":"tier","operator":"NotIn","values":["a","b"]},{"key":"x","operator":"Exists"},)"
      R"({"key":"y","operator":"DoesNotExist"}]}},)"
      R"("status":{"disruptionsAllowed":2,"disruptedPods":{"p1":"2026-01-01T00:00:00Z"}})");
  ASSERT_TRUE(page.ok()) << page.status().ToString();
  const model::DisruptionBudget& budget = page->items.at(0);
  EXPECT_EQ(budget.namespace_name, "ns");
  EXPECT_EQ(budget.name, "b");
  EXPECT_EQ(budget.resource_version, "5");
  ASSERT_EQ(budget.selector.size(), 4u);
  EXPECT_EQ(budget.selector[0].key, "app");
  EXPECT_EQ(budget.selector[0].values, std::vector<std::string>({"db"}));
  EXPECT_EQ(budget.selector[1].op, Operator::kNotIn);
  EXPECT_EQ(budget.selector[1].values.size(), 2u);
  EXPECT_EQ(budget.selector[2].op, Operator::kExists);
  EXPECT_EQ(budget.selector[3].op, Operator::kDoesNotExist);
  EXPECT_FALSE(budget.unreadable_selector);
  EXPECT_EQ(budget.disruptions_allowed, 2);
  EXPECT_EQ(budget.disrupted_pods.count("p1"), 1u);
}

TEST(DecodeDisruptionBudget, WithoutAStatusNothingIsAllowed) {
  const auto page = List(R"("spec":{"selector":{"matchLabels":{"app":"db"}}})");
  ASSERT_TRUE(page.ok());
  EXPECT_EQ(page->items[0].disruptions_allowed, 0);
}

TEST(DecodeDisruptionBudget, AnUnknownOperatorMatchesNothing) {
  const auto page =
      List(R"("spec":{"selector":{"matchExpressions":[{"key":"a","operator":"Like"}]}})");
  ASSERT_TRUE(page.ok());
  EXPECT_TRUE(page->items[0].unreadable_selector);
}

TEST(DecodeDisruptionBudget, WrongTypesAreRefusedByPath) {
  EXPECT_EQ(List(R"("spec":{"selector":[]})").status().message(),
            "the list: items[0]: the disruption budget: spec.selector is a list; it must be an "
            "object");
}

TEST(DecodeDisruptionBudget, AWatchTellsOfItAsWell) {
  const auto event = ParseDisruptionBudgetWatchEvent(
      R"({"type":"DELETED","object":{"metadata":{"name":"b","namespace":"ns",)"
      R"("resourceVersion":"9"}}})");
  ASSERT_TRUE(event.ok()) << event.status().ToString();
  EXPECT_EQ(event->type, WatchEventType::kDeleted);
  EXPECT_EQ(event->object.name, "b");
  EXPECT_EQ(event->resource_version, "9");
}

}  // namespace
}  // namespace aliquot::api
