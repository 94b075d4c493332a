// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "base/status.h"
#include "program/action_flags.h"
#include "program/problems.h"

namespace aliquot::program {

// Of every program here; the pages about their configurations list them under "Flags".
enum ExitCode { kDone = 0, kProblem = 1, kDrainTimedOut = 2 };

// What a program's main does, in the order in which it is asked.
struct MainSteps {
  std::function<void(Problems&)> configure;              // defaults, file, flags
  std::function<Result<std::string>()> monitor_address;  // where --probe asks
  std::function<void(Problems&)> check;                  // the joint rules
  std::function<std::string()> print;                    // the configuration in force
  std::function<int()> run;
};

// Does what the flags ask for, from --help to running; returns the exit code. Problems go to
// standard error, one a line, answers to standard output.
int RunMain(const ActionFlags& flags, const MainSteps& steps);

// Prints them; kDone when there is none, else kProblem.
int Report(const Problems& problems);
// The same of one error.
int Report(const Status& status);

}  // namespace aliquot::program
