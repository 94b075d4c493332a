// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/status.h"

namespace CLI {
class App;
}

namespace aliquot::program {

// The flags that every program here has beside its own: where its configuration is, and what to do
// instead of running. A flag that was not given is empty.
struct ActionFlags {
  enum class Action { kRun, kHelp, kVersion, kValidateConfig, kPrintConfig, kProbe };

  Action action = Action::kRun;
  std::string help;   // kHelp: the text to print
  std::string probe;  // kProbe: "live" or "ready"
  std::string config;
};

// Adds --config, --validate-config, --print-config, --version and --probe to an app that has the
// program's own flags already, and parses. The error is one sentence that names the flag.
Status ParseFlagsWithActions(CLI::App& app, int argc, const char* const* argv, ActionFlags& flags);

}  // namespace aliquot::program
