// SPDX-License-Identifier: Apache-2.0
// Is there a scheduler that asks the allocator?
#include "cli/doctor/api_reader.h"
#include "cli/doctor/checks.h"

namespace aliquot::cli {
namespace {

constexpr char kRuns[] = "scheduler";
constexpr char kCalls[] = "scheduler-calls-us";
// kube-scheduler renews every 2 s and gives up after 15 s by default.
constexpr std::chrono::seconds kLeaseLife{60};

std::string SchedulerLog(const Observation& seen) {
  return "the reason is in " + Kubectl(seen, "logs deployment/aliquot-scheduler --all-containers");
}

Finding Bundled(const Observation& seen) {
  if (NumberAt(*seen.scheduler, "/status/readyReplicas") < 1) {
    return {kRuns, Verdict::kFailed, "no pod of the bundled scheduler is ready",
            SchedulerLog(seen)};
  }
  if (!seen.lease.ok()) {
    const bool absent = seen.lease.status().code() == StatusCode::kNotFound;
    return {kRuns, absent ? Verdict::kFailed : Verdict::kUnknown,
            absent ? "the bundled scheduler has no Lease: it does not schedule"
                   : seen.lease.status().message(),
            absent ? SchedulerLog(seen) : ""};
  }
  // Kubernetes' own clock wrote it, so it is compared with ours less what we are ahead.
  const auto renewed = ParseApiTime(TextAt(*seen.lease, "/spec/renewTime"));
  const auto ahead = seen.ahead.value_or(std::chrono::seconds(0));
  if (!renewed || seen.now - ahead - *renewed > kLeaseLife) {
    return {kRuns, Verdict::kFailed,
            "the bundled scheduler has not renewed its Lease for more than 60 s",
            SchedulerLog(seen) + "; it needs to reach the API server"};
  }
  return {kRuns, Verdict::kOk, "the bundled scheduler is ready and holds its Lease", ""};
}

Finding Runs(const Observation& seen) {
  if (seen.scheduler.ok()) {
    return Bundled(seen);
  }
  if (seen.scheduler.status().code() == StatusCode::kNotFound) {
    return {kRuns, Verdict::kOk,
            "there is no bundled scheduler: a stock kube-scheduler is to have the extender", ""};
  }
  return {kRuns, Verdict::kUnknown, seen.scheduler.status().message(), ""};
}

Finding Calls(const Observation& seen) {
  if (!seen.gpu_pods.ok()) {
    return {kCalls, Verdict::kUnknown, seen.gpu_pods.status().message(), ""};
  }
  std::vector<std::string> without;
  std::size_t placed = 0;
  for (const SeenPod& pod : *seen.gpu_pods) {
    if (pod.finished || pod.node.empty()) {
      continue;
    }
    if (pod.allocation.empty()) {
      without.push_back(pod.namespace_name + "/" + pod.name);
    } else {
      ++placed;
    }
  }
  if (!without.empty()) {
    return {kCalls, placed == 0 ? Verdict::kFailed : Verdict::kWarning,
            Counted(without.size(), "GPU pod") + " on a node without cards: " +
                AtMostThree(without) + "; who bound them did not ask the allocator",
            "give their scheduler (.spec.schedulerName) the extender, aliquotctl scheduler-config "
            "prints how, or name it in guards.schedulers of the chart; then delete those pods"};
  }
  if (placed == 0) {
    return {kCalls, Verdict::kUnknown,
            "no GPU pod is on a node, so nothing shows whether the scheduler asks the allocator",
            "run one, then look again"};
  }
  return {kCalls, Verdict::kOk,
          Counted(placed, "GPU pod") + " on nodes, each with cards from the allocator", ""};
}

}  // namespace

void CheckScheduler(const Observation& seen, Findings& findings) {
  findings.push_back(Runs(seen));
  findings.push_back(Calls(seen));
}

}  // namespace aliquot::cli
