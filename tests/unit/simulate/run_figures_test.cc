// SPDX-License-Identifier: Apache-2.0
#include "simulate/run_figures.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>

#include "simulate/replay_report.h"

namespace aliquot::simulate {
namespace {

using std::chrono::nanoseconds;

RunFigures Figures(std::optional<double> at_130, double failed) {
  RunFigures figures;
  figures.allocated_percent[3] = at_130;
  figures.failed_pods = failed;
  figures.arrived_pods = 100;
  return figures;
}

TEST(RunFigures, TakeTheNearestRankOfTheDecisions) {
  ReplayResult result;
  for (int i = 1; i <= 100; ++i) {
    result.decisions.push_back(nanoseconds(i * 1000));
  }
  const RunFigures figures = FiguresOf(result, false);
  EXPECT_EQ(figures.decision_p50_us, 50);
  EXPECT_EQ(figures.decision_p99_us, 99);
  EXPECT_FALSE(figures.multi_card_pods.has_value());
}

// 90 and 94: mean 92, population deviation 2 (not the sample's 2.83).
TEST(RunFigures, HaveNoValueAboveWhatTheRunWasAskedToReach) {
  ReplayResult result;
  result.arrivals = 1.1;
  result.allocated_percent.Add(94, 90);
  const RunFigures figures = FiguresOf(result, false);
  EXPECT_EQ(figures.allocated_percent[0], 90) << "95 %: the nearest lower one";
  EXPECT_EQ(figures.allocated_percent[2], 90) << "110 %";
  EXPECT_FALSE(figures.allocated_percent[3].has_value()) << "130 %";
}

TEST(RunFigures, SummaryIsMeanAndPopulationDeviation) {
  const FigureSummary summary = Summarize({Figures(90, 10), Figures(94, 20)});
  EXPECT_EQ(summary.mean.allocated_percent[3], 92);
  EXPECT_EQ(summary.deviation.allocated_percent[3], 2);
  EXPECT_EQ(summary.mean.failed_pods, 15);
  EXPECT_EQ(summary.deviation.failed_pods, 5);
}

TEST(RunFigures, AMissingPointOfOneRunIsMissingInTheSummary) {
  const FigureSummary summary = Summarize({Figures(90, 1), Figures({}, 1)});
  EXPECT_FALSE(summary.mean.allocated_percent[3].has_value());
  EXPECT_FALSE(summary.deviation.allocated_percent[3].has_value());
}

TEST(ReplayReport, OneRunIsItsObject) {
  const auto json = nlohmann::json::parse(ReplayJson("fgd", {{7, Figures(93.12345, 4)}}));
  EXPECT_EQ(json["policy"], "fgd");
  EXPECT_EQ(json["seed"], 7);
  EXPECT_EQ(json["allocated_percent"]["130"], 93.123);
  EXPECT_TRUE(json["allocated_percent"]["95"].is_null()) << "no event fell on it";
  EXPECT_EQ(json["arrived_pods"], 100);
  EXPECT_TRUE(json["failed_pods"].is_number_integer());
  EXPECT_TRUE(json["fragmentation_percent"].contains("110"));
  EXPECT_TRUE(json["decision_us"].contains("p99"));
  EXPECT_FALSE(json.contains("multi_card"));
}

TEST(ReplayReport, SeveralRunsHaveMeanAndDeviationWithTheSameKeys) {
  const auto json =
      nlohmann::json::parse(ReplayJson("fgd", {{7, Figures(90, 4)}, {8, Figures(92, 5)}}));
  ASSERT_EQ(json["runs"].size(), 2u);
  EXPECT_EQ(json["runs"][1]["seed"], 8);
  EXPECT_EQ(json["mean"]["allocated_percent"]["130"], 91);
  EXPECT_EQ(json["deviation"]["allocated_percent"]["130"], 1);
  EXPECT_EQ(json["mean"]["failed_pods"], 4.5);
  for (const char* key : {"allocated_percent", "arrived_pods", "failed_pods",
                          "fragmentation_percent", "decision_us"}) {
    EXPECT_TRUE(json["mean"].contains(key)) << key;
    EXPECT_TRUE(json["deviation"].contains(key)) << key;
  }
}

TEST(ReplayReport, ATableHasALineForEachRunAndTwoForTheSummary) {
  const std::string text = ReplayTable("fgd", {{7, Figures(90, 4)}, {8, Figures(92, 5)}});
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 6) << text;
  EXPECT_NE(text.find("deviation"), std::string::npos);
  EXPECT_NE(text.find("91.00"), std::string::npos);
}

}  // namespace
}  // namespace aliquot::simulate
