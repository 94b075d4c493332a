// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/status.h"
#include "kubeclient/config.h"

// Credentials that a program prints: ExecCredential of client.authentication.k8s.io/v1 and v1beta1.
// Source:
// kubernetes.io/docs/reference/access-authn-authz/authentication/#client-go-credential-plugins and
// kubernetes.io/docs/reference/config-api/client-authentication.v1. Pure: processes are started by
// whoever passes a PluginHost in, which only a program with a person before it does. No message
// quotes what a plugin printed.

namespace aliquot::kubeclient {

struct ExecCredential {
  std::string token;            // "" = none
  std::string certificate_pem;  // "" = none; with key_pem
  std::string key_pem;
  std::optional<SystemTime> expires;
};

struct CommandStart {
  std::string command;  // a path when it holds a slash, else to be found by PATH
  std::vector<std::string> arguments;
  std::vector<std::pair<std::string, std::string>> environment;  // added to this process's
  bool passes_input = false;  // standard input is the plugin's too; else it finds it empty
  std::chrono::milliseconds time_limit{0};
  std::size_t max_output_bytes = 0;
};

struct CommandEnd {
  enum class Kind {
    kExited,      // `number` is the exit status
    kSignalled,   // `number` is the signal
    kNotFound,    // there is no such command
    kNotStarted,  // `number` is the errno
    kOutOfTime,   // and was ended
    kTooTalkative,
  };
  Kind kind = Kind::kNotStarted;
  int number = 0;
  std::string output;  // kExited: its standard output
};

// Where plugins run.
struct PluginHost {
  std::function<CommandEnd(const CommandStart&)> run;  // nullptr: nowhere
  bool input_is_terminal = false;
};

// A login may wait for a person where there is one.
inline constexpr std::chrono::seconds kPluginTime{60};
inline constexpr std::chrono::seconds kPluginTimeAtTerminal{300};

// The value of KUBERNETES_EXEC_INFO. `ca_pem` is the content of certificate_authority.
// Pre: config.exec.
std::string FormatExecInfo(const ClientConfig& config, const std::string& ca_pem, bool interactive);
Result<ExecCredential> ParseExecCredential(std::string_view json, const ExecPlugin& plugin);
// Runs it once. Pre: config.exec.
Result<ExecCredential> RunExecPlugin(const ClientConfig& config, const std::string& ca_pem,
                                     const PluginHost& host);

}  // namespace aliquot::kubeclient
