// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "allocator/configuration.h"
#include "base/status.h"
#include "program/action_flags.h"
#include "program/problems.h"

namespace aliquot::allocator {

// The command line. A flag that was not given is empty.
struct Flags : program::ActionFlags {
  std::optional<std::string> kubeconfig;
  std::optional<std::string> cluster;
  std::optional<std::string> extender_listen;
  std::optional<std::string> admission_listen;
  std::optional<std::string> monitor_listen;
  std::optional<std::string> tls_cert;
  std::optional<std::string> tls_key;
  std::optional<std::string> client_ca;
  std::optional<std::string> addresses_file;
  std::optional<std::string> log_level;
};

// The error is one sentence that names the flag.
Result<Flags> ParseFlags(int argc, const char* const* argv);

// Defaults, then the file, then the flags. Reports every problem of the file and leaves the joint
// rules to CheckConfiguration.
void ConfigureFrom(const Flags& flags, Configuration& configuration, program::Origins& origins,
                   program::Problems& problems);

}  // namespace aliquot::allocator
