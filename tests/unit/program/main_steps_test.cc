// SPDX-License-Identifier: Apache-2.0
#include "program/main_steps.h"

#include <gtest/gtest.h>

#include <string>

namespace aliquot::program {
namespace {

using Action = ActionFlags::Action;

class RunMainTest : public testing::Test {
 protected:
  // What was done, printed and returned: "configure check print | text | 0".
  std::string Act(Action action) {
    done_.clear();
    ActionFlags flags;
    flags.action = action;
    flags.help = "help\n";
    flags.probe = "live";
    MainSteps steps;
    steps.configure = [this](Problems& problems) { Step("configure", in_file_, problems); };
    steps.monitor_address = [this]() -> Result<std::string> {
      done_ += "monitor ";
      return NotFound("no address is known");
    };
    steps.check = [this](Problems& problems) { Step("check", in_rules_, problems); };
    steps.print = [this] {
      done_ += "print ";
      return std::string("fields\n");
    };
    steps.run = [this] {
      done_ += "run ";
      return 2;
    };
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    const int code = RunMain(flags, steps);
    const std::string out = testing::internal::GetCapturedStdout();
    const std::string err = testing::internal::GetCapturedStderr();
    return done_ + "| " + out + "| " + err + "| " + std::to_string(code);
  }
  void Step(const char* name, bool bad, Problems& problems) {
    done_ += std::string(name) + " ";
    if (bad) {
      problems.Add(name, "is wrong");
    }
  }

  bool in_file_ = false;
  bool in_rules_ = false;
  std::string done_;
};

TEST_F(RunMainTest, HelpLooksAtNoConfiguration) { EXPECT_EQ(Act(Action::kHelp), "| help\n| | 0"); }

TEST_F(RunMainTest, AGoodConfigurationIsRunAndItsExitCodePassedOn) {
  EXPECT_EQ(Act(Action::kRun), "configure check run | | | 2");
}

TEST_F(RunMainTest, ProblemsOfFileAndRulesAreToldTogetherAndNothingRuns) {
  in_file_ = in_rules_ = true;
  EXPECT_EQ(Act(Action::kRun), "configure check | | configure: is wrong\ncheck: is wrong\n| 1");
}

TEST_F(RunMainTest, ValidatingAndPrintingDoNotRun) {
  EXPECT_EQ(Act(Action::kValidateConfig), "configure check | | | 0");
  EXPECT_EQ(Act(Action::kPrintConfig), "configure check print | fields\n| | 0");
}

// A probe must work beside a running program whose rules a new flag would break.
TEST_F(RunMainTest, AProbeAsksForTheAddressAndChecksNoRules) {
  in_rules_ = true;
  EXPECT_EQ(Act(Action::kProbe), "configure monitor | | no address is known\n| 1");
}

}  // namespace
}  // namespace aliquot::program
