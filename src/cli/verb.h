// SPDX-License-Identifier: Apache-2.0
#pragma once

// What every verb of aliquotctl gets and gives. A verb adds its flags to the command line and, when
// it was asked for, leaves what is to run in `run`.

#include <functional>
#include <iosfwd>
#include <string>

#include "base/status.h"

namespace CLI {
class App;
}

namespace aliquot::cli {

// kNotHeld: verify was answered and not every check is ok, or doctor was and one failed.
enum ExitCode { kDone = 0, kProblem = 1, kNotHeld = 2 };

struct Streams {
  std::ostream& out;  // the answer
  std::ostream& err;  // notes, progress and problems
  bool err_is_terminal = false;
  ExitCode end = kDone;  // of the program, once the verb has given its answer
};

// The error's sentence goes to `err`, and the program ends with kProblem.
using Run = std::function<Status(Streams&)>;

void AddCompletionVerb(CLI::App& app, Run& run);
void AddConvertVerb(CLI::App& app, Run& run);
void AddTopologyVerb(CLI::App& app, Run& run);
void AddDoctorVerb(CLI::App& app, Run& run);
void AddSchedulerConfigVerb(CLI::App& app, Run& run);
void AddGetVerb(CLI::App& app, Run& run);
void AddSimulateVerb(CLI::App& app, Run& run);
void AddTopVerb(CLI::App& app, Run& run);
void AddVerifyVerb(CLI::App& app, Run& run);
void AddVersionVerb(CLI::App& app, Run& run);
void AddWhyVerb(CLI::App& app, Run& run);

// The whole program: parses, runs, reports. Returns the exit code.
int RunCommandLine(int argc, const char* const* argv, Streams& streams);

}  // namespace aliquot::cli
