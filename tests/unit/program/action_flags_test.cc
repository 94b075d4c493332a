// SPDX-License-Identifier: Apache-2.0
#include "program/action_flags.h"

#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace aliquot::program {
namespace {

using Action = ActionFlags::Action;

Result<ActionFlags> Parse(std::vector<const char*> arguments) {
  arguments.insert(arguments.begin(), "program");
  CLI::App app("What it does.", "program");
  std::string own;
  app.add_option("--own", own);
  ActionFlags flags;
  const Status status =
      ParseFlagsWithActions(app, static_cast<int>(arguments.size()), arguments.data(), flags);
  if (!status.ok()) {
    return status;
  }
  return flags;
}

TEST(ActionFlags, EachActionHasItsFlagAndRunHasNone) {
  EXPECT_EQ(Parse({"--own", "x"})->action, Action::kRun);
  EXPECT_EQ(Parse({"--version"})->action, Action::kVersion);
  EXPECT_EQ(Parse({"--print-config", "--config", "f"})->action, Action::kPrintConfig);
  EXPECT_EQ(Parse({"--validate-config", "--config", "f"})->config, "f");
  EXPECT_EQ(Parse({"--probe", "live"})->probe, "live");
}

TEST(ActionFlags, HelpNamesTheProgramsOwnFlagsToo) {
  const auto flags = Parse({"--help"});
  ASSERT_TRUE(flags.ok());
  EXPECT_EQ(flags->action, Action::kHelp);
  for (const char* flag : {"--own", "--config", "--probe", "--version"}) {
    EXPECT_NE(flags->help.find(flag), std::string::npos) << flag;
  }
}

TEST(ActionFlags, AMistakeIsOneSentence) {
  EXPECT_FALSE(Parse({"--onw", "x"}).ok());
  EXPECT_EQ(Parse({"--version", "--probe", "live"}).status().message(),
            "more than one of --version, --validate-config, --print-config and --probe is given; "
            "keep one");
}

}  // namespace
}  // namespace aliquot::program
