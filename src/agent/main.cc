// SPDX-License-Identifier: Apache-2.0
// aliquot-agent: wires flags, configuration and application; see application.h for what runs.
#include <cstdio>
#include <cstdlib>
#include <exception>

#include "agent/application.h"
#include "agent/configuration.h"
#include "agent/flags.h"
#include "api/json_document.h"
#include "base/clock.h"
#include "observability/json_log.h"
#include "program/lifecycle.h"
#include "program/main_steps.h"
#include "program/probe.h"
#include "program/process_memory.h"

namespace aliquot::agent {
namespace {

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
  const char* node_name = std::getenv("NODE_NAME");
  program::MainSteps steps;
  steps.configure = [&](program::Problems& problems) {
    ConfigureFrom(*flags, node_name == nullptr ? "" : node_name, configuration, origins, problems);
  };
  steps.monitor_address = [&] {
    return program::MonitorAddress(configuration.listen_monitor, configuration.addresses_file);
  };
  steps.check = [&](program::Problems& problems) {
    CheckConfiguration(configuration, origins, problems);
  };
  steps.print = [&] { return PrintConfiguration(configuration); };
  steps.run = [&] { return Run(configuration); };
  return program::RunMain(flags->common, steps);
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
