// SPDX-License-Identifier: Apache-2.0
// aliquot-agent: wires flags, configuration and application; see application.h for what runs.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iostream>

#include "agent/application.h"
#include "agent/configuration.h"
#include "agent/flags.h"
#include "api/json_document.h"
#include "base/clock.h"
#include "observability/build_info.h"
#include "observability/json_log.h"
#include "program/lifecycle.h"
#include "program/probe.h"
#include "program/process_memory.h"

namespace aliquot::agent {
namespace {

// docs/reference/agent-configuration.md, "Flags".
enum ExitCode { kDone = 0, kProblem = 1, kDrainTimedOut = 2 };

int Report(const program::Problems& problems) {
  for (const std::string& line : problems.lines()) {
    std::cerr << line << '\n';
  }
  return problems.empty() ? kDone : kProblem;
}

int RunProbe(const Flags& flags, const Configuration& configuration) {
  constexpr std::chrono::milliseconds kTimeout{2000};
  const auto address =
      program::MonitorAddress(configuration.listen_monitor, configuration.addresses_file);
  const Status status =
      address.ok() ? program::Probe(*address, flags.common.probe, kTimeout) : address.status();
  if (!status.ok()) {
    std::cerr << status.message() << '\n';
  }
  return status.ok() ? kDone : kProblem;
}

int Run(const Configuration& configuration) {
  program::PrepareLeanMemory();
  // Lists of pods and checkpoints are read seldom, and are long; single events are short.
  api::JsonDocument::KeepBuffersUpTo(std::size_t{32} << 10);
  program::PrepareSignals();
  const RealClock clock;
  observability::LogOptions log_options;
  log_options.queue_lines = 256;
  if (const auto level = observability::ParseLevel(configuration.log_level); level.ok()) {
    log_options.level = *level;
  }
  observability::JsonLog log(log_options, clock, observability::StderrSink());
  Application application(configuration, log);
  program::Problems problems;
  if (!application.Start(problems)) {
    return Report(problems);
  }
  program::WaitForEndRequest();
  return application.Drain().ok() ? kDone : kDrainTimedOut;
}

int Main(int argc, char** argv) {
  using Action = program::ActionFlags::Action;
  const auto flags = ParseFlags(argc, argv);
  if (!flags.ok()) {
    std::cerr << flags.status().message() << '\n';
    return kProblem;
  }
  const Action action = flags->common.action;
  if (action == Action::kHelp) {
    std::cout << flags->common.help;
    return kDone;
  }
  if (action == Action::kVersion) {
    std::cout << observability::Version() << ' ' << observability::Commit() << '\n';
    return kDone;
  }
  Configuration configuration;
  program::Origins origins;
  program::Problems problems;
  const char* node_name = std::getenv("NODE_NAME");
  ConfigureFrom(*flags, node_name == nullptr ? "" : node_name, configuration, origins, problems);
  if (action == Action::kProbe && problems.empty()) {
    return RunProbe(*flags, configuration);
  }
  CheckConfiguration(configuration, origins, problems);
  if (!problems.empty() || action == Action::kValidateConfig) {
    return Report(problems);
  }
  if (action == Action::kPrintConfig) {
    std::cout << PrintConfiguration(configuration);
    return kDone;
  }
  return Run(configuration);
}

}  // namespace
}  // namespace aliquot::agent

int main(int argc, char** argv) {
  try {
    return aliquot::agent::Main(argc, argv);
  } catch (const std::exception& error) {
    // Nothing above throws on purpose; out of memory may.
    static_cast<void>(std::fprintf(stderr, "aliquot-agent ends: %s\n", error.what()));
    return 1;
  }
}
