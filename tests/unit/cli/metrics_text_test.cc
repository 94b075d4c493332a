// SPDX-License-Identifier: Apache-2.0
#include "cli/top/metrics_text.h"

#include <gtest/gtest.h>

#include <cmath>

namespace aliquot::cli {
namespace {

// "name label=value .. = number" of each sample; the error's sentence at the end.
std::vector<std::string> Read(std::string_view text) {
  std::vector<std::string> seen;
  const Status status = ReadMetrics(text, [&seen](const MetricSample& sample) {
    std::string line(sample.name);
    for (const auto& [name, value] : sample.labels) {
      line += " " + std::string(name) + "=" + value;
    }
    seen.push_back(line + " = " + std::to_string(sample.value));
  });
  if (!status.ok()) {
    seen.push_back(status.message());
  }
  return seen;
}
using Lines = std::vector<std::string>;

TEST(MetricsText, SamplesAreReadWithAndWithoutLabelsAndTimestamps) {
  EXPECT_EQ(Read("# HELP a What \"a\" is.\n# TYPE a gauge\na 1\n\n"
                 "b{x=\"1\",y=\"two words\"} 2.5e3 1395066363000\n"
                 "c { x = \"1\" , } -3\r\nd{}\t4"),
            (Lines{"a = 1.000000", "b x=1 y=two words = 2500.000000", "c x=1 = -3.000000",
                   "d = 4.000000"}));
  EXPECT_EQ(Read(""), Lines());
}

TEST(MetricsText, EscapesStandForOneCharacterAndBracesInQuotesForNothing) {
  MetricSample last;
  ASSERT_TRUE(ReadMetrics("a{x=\"q\\\"b\\\\n\\n}\",y=\"\"} 1", [&last](const MetricSample& sample) {
                last = sample;
              }).ok());
  EXPECT_EQ(last.Label("x"), "q\"b\\n\n}");
  EXPECT_EQ(last.Label("y"), "");
  EXPECT_EQ(last.Label("z"), "");
}

TEST(MetricsText, NumbersThatAreNoneAreNumbersHere) {
  std::vector<double> values;
  ASSERT_TRUE(ReadMetrics("a NaN\na +Inf\na -Inf", [&values](const MetricSample& sample) {
                values.push_back(sample.value);
              }).ok());
  ASSERT_EQ(values.size(), 3u);
  EXPECT_TRUE(std::isnan(values[0]));
  EXPECT_TRUE(std::isinf(values[1]));
  EXPECT_LT(values[2], 0);
}

TEST(MetricsText, WhatIsSomethingElseIsNamedByItsLine) {
  for (const char* line :
       {"a", "a one", "a{x=\"1\" 2", "a{x=1} 2", "a{x=\"1} 2", "a{x=\"\\t\"} 2", "a{=\"1\"} 2",
        "a{x=\"1\"y=\"2\"} 2", "{x=\"1\"} 2", "a 1 2 3", "a 1 later", "<html>", "a{x=\"1\\"}) {
    EXPECT_EQ(Read(std::string("ok 1\n") + line),
              (Lines{"ok = 1.000000", "line 2 is no metric: \"" + std::string(line) + "\""}));
  }
}

}  // namespace
}  // namespace aliquot::cli
