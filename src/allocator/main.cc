// SPDX-License-Identifier: Apache-2.0
// aliquot-allocator: wires flags, configuration and application; see application.h for what runs.
#include <cstdio>
#include <exception>
#include <iostream>

#include "allocator/application.h"
#include "allocator/configuration.h"
#include "allocator/flags.h"
#include "base/clock.h"
#include "observability/build_info.h"
#include "observability/json_log.h"
#include "program/lifecycle.h"
#include "program/probe.h"
#include "program/process_memory.h"

namespace aliquot::allocator {
namespace {

// docs/reference/configuration.md, "Flags".
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
      program::MonitorAddress(configuration.listen.monitor, configuration.addresses_file);
  const Status status =
      address.ok() ? program::Probe(*address, flags.probe, kTimeout) : address.status();
  if (!status.ok()) {
    std::cerr << status.message() << '\n';
  }
  return status.ok() ? kDone : kProblem;
}

int Run(const Configuration& configuration) {
  program::PrepareMemory();
  program::PrepareSignals();
  program::RaiseOpenFileLimit();
  const RealClock clock;
  observability::LogOptions log_options;
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
  const auto flags = ParseFlags(argc, argv);
  if (!flags.ok()) {
    std::cerr << flags.status().message() << '\n';
    return kProblem;
  }
  if (flags->action == Flags::Action::kHelp) {
    std::cout << flags->help;
    return kDone;
  }
  if (flags->action == Flags::Action::kVersion) {
    std::cout << observability::Version() << ' ' << observability::Commit() << '\n';
    return kDone;
  }
  Configuration configuration;
  program::Origins origins;
  program::Problems problems;
  ConfigureFrom(*flags, configuration, origins, problems);
  if (flags->action == Flags::Action::kProbe && problems.empty()) {
    return RunProbe(*flags, configuration);
  }
  CheckConfiguration(configuration, origins, problems);
  if (!problems.empty() || flags->action == Flags::Action::kValidateConfig) {
    return Report(problems);
  }
  if (flags->action == Flags::Action::kPrintConfig) {
    std::cout << PrintConfiguration(configuration);
    return kDone;
  }
  return Run(configuration);
}

}  // namespace
}  // namespace aliquot::allocator

int main(int argc, char** argv) {
  try {
    return aliquot::allocator::Main(argc, argv);
  } catch (const std::exception& error) {
    // Nothing above throws on purpose; out of memory may.
    static_cast<void>(std::fprintf(stderr, "aliquot-allocator ends: %s\n", error.what()));
    return 1;
  }
}
