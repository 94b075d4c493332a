// SPDX-License-Identifier: Apache-2.0
#include "program/main_steps.h"

#include <chrono>
#include <iostream>

#include "observability/build_info.h"
#include "program/probe.h"

namespace aliquot::program {

int Report(const Problems& problems) {
  for (const std::string& line : problems.lines()) {
    std::cerr << line << '\n';
  }
  return problems.empty() ? kDone : kProblem;
}

int Report(const Status& status) {
  if (!status.ok()) {
    std::cerr << status.message() << '\n';
  }
  return status.ok() ? kDone : kProblem;
}

int RunMain(const ActionFlags& flags, const MainSteps& steps) {
  using Action = ActionFlags::Action;
  constexpr std::chrono::milliseconds kProbeTimeout{2000};
  if (flags.action == Action::kHelp) {
    std::cout << flags.help;
    return kDone;
  }
  if (flags.action == Action::kVersion) {
    std::cout << observability::Version() << ' ' << observability::Commit() << '\n';
    return kDone;
  }
  Problems problems;
  steps.configure(problems);
  if (flags.action == Action::kProbe && problems.empty()) {
    const auto address = steps.monitor_address();
    return Report(address.ok() ? Probe(*address, flags.probe, kProbeTimeout) : address.status());
  }
  steps.check(problems);
  if (!problems.empty() || flags.action == Action::kValidateConfig) {
    return Report(problems);
  }
  if (flags.action == Action::kPrintConfig) {
    std::cout << steps.print();
    return kDone;
  }
  return steps.run();
}

}  // namespace aliquot::program
