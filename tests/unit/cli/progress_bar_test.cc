// SPDX-License-Identifier: Apache-2.0
#include "cli/progress_bar.h"

#include <gtest/gtest.h>

#include <sstream>
#include <string>

namespace aliquot::cli {
namespace {

TEST(ProgressBar, IsSilentWhereNobodyLooks) {
  std::ostringstream out;
  {
    ProgressBar bar(out, /*shown=*/false, 1);
    bar.Report(0, 0.5);
  }
  EXPECT_EQ(out.str(), "");
}

// Two runs, one of them half done: a quarter of all.
TEST(ProgressBar, ShowsTheMeanOfTheRunsAndEndsWithAnEmptyLine) {
  std::ostringstream out;
  {
    ProgressBar bar(out, /*shown=*/true, 2);
    bar.Report(1, 0.5);
    EXPECT_NE(out.str().find("[##########..............................] 25%"), std::string::npos)
        << out.str();
  }
  const std::string text = out.str();
  EXPECT_EQ(text.back(), '\r');
  EXPECT_EQ(text.find('\n'), std::string::npos);
}

TEST(ProgressBar, WritesOnlyWhenThePercentChanges) {
  std::ostringstream out;
  ProgressBar bar(out, /*shown=*/true, 1);
  bar.Report(0, 0.5);
  const std::string before = out.str();
  bar.Report(0, 0.5001);
  EXPECT_EQ(out.str(), before);
}

}  // namespace
}  // namespace aliquot::cli
