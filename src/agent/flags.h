// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "agent/configuration.h"
#include "base/status.h"
#include "program/action_flags.h"

namespace aliquot::agent {

// The command line. A flag that was not given is empty.
struct Flags {
  program::ActionFlags common;
  std::optional<std::string> kubeconfig;
  std::optional<std::string> node_name;
  std::optional<std::string> monitor_listen;
  std::optional<std::string> addresses_file;
  std::optional<std::string> log_level;
};

// The error is one sentence that names the flag.
Result<Flags> ParseFlags(int argc, const char* const* argv);

// Defaults, then the file, then NODE_NAME (`environment_node_name`, "" = not set) where the file
// names no node, then the flags. Reports every problem of the file and leaves the joint rules to
// CheckConfiguration.
void ConfigureFrom(const Flags& flags, const std::string& environment_node_name,
                   Configuration& configuration, program::Origins& origins,
                   program::Problems& problems);

}  // namespace aliquot::agent
