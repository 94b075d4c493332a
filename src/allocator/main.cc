// SPDX-License-Identifier: Apache-2.0
// aliquot-allocator: wires flags, configuration and application; see application.h for what runs.
#include <cstdio>
#include <exception>

#include "allocator/application.h"
#include "allocator/configuration.h"
#include "allocator/flags.h"
#include "base/clock.h"
#include "observability/json_log.h"
#include "program/lifecycle.h"
#include "program/main_steps.h"
#include "program/probe.h"
#include "program/process_memory.h"

namespace aliquot::allocator {
namespace {

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
    return program::Report(problems);
  }
  program::WaitForEndRequest();
  return application.Drain().ok() ? program::kDone : program::kDrainTimedOut;
}

int Main(int argc, char** argv) {
  const auto flags = ParseFlags(argc, argv);
  if (!flags.ok()) {
    return program::Report(flags.status());
  }
  Configuration configuration;
  program::Origins origins;
  program::MainSteps steps;
  steps.configure = [&](program::Problems& problems) {
    ConfigureFrom(*flags, configuration, origins, problems);
  };
  steps.monitor_address = [&] {
    return program::MonitorAddress(configuration.listen.monitor, configuration.addresses_file);
  };
  steps.check = [&](program::Problems& problems) {
    CheckConfiguration(configuration, origins, problems);
  };
  steps.print = [&] { return PrintConfiguration(configuration); };
  steps.run = [&] { return Run(configuration); };
  return program::RunMain(*flags, steps);
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
