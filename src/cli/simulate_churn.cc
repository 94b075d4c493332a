// SPDX-License-Identifier: Apache-2.0
// aliquotctl simulate --churn LOAD: pods that come and go, beside the peers.
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "cli/openb_inputs.h"
#include "cli/progress_bar.h"
#include "cli/simulate_flags.h"
#include "scoring/policy_registry.h"
#include "simulate/churn_report.h"

namespace aliquot::cli {
namespace {

using simulate::ChurnResult;

constexpr double kHighestLoad = 10;
// What the policy is compared with.
constexpr std::string_view kPeers[] = {"fgd", "first-fit"};

Status CheckFlags(const SimulateFlags& flags) {
  if (!(*flags.churn > 0 && *flags.churn <= kHighestLoad)) {
    return InvalidArgument("--churn is out of range; use a load above 0 and up to 10, 0.9 is 90 %");
  }
  if (!flags.matrices.empty() || !flags.plot.empty() || flags.arrivals) {
    return InvalidArgument(
        "--arrivals, --matrix and --plot have no part in --churn; leave them out");
  }
  return Status::Ok();
}

std::vector<const scoring::Policy*> PolicyAndPeers(const scoring::Policy* policy) {
  std::vector<const scoring::Policy*> policies = {policy};
  for (const std::string_view peer : kPeers) {
    if (const scoring::Policy* found = scoring::FindPolicy(peer); found && found != policy) {
      policies.push_back(found);
    }
  }
  return policies;
}

}  // namespace

Status SimulateChurn(const SimulateFlags& flags, Streams& streams) {
  if (Status status = CheckFlags(flags); !status.ok()) {
    return status;
  }
  const auto inputs = ReadOpenbInputs(flags, streams);
  if (!inputs.ok()) {
    return inputs.status();
  }
  const auto policies = PolicyAndPeers(inputs->policy);
  const std::size_t seeds = inputs->seeds.size();
  const RealClock clock;
  std::vector<Result<ChurnResult>> results(policies.size() * seeds,
                                           Status(StatusCode::kInternal, "the run did not start"));
  {
    ProgressBar bar(streams.err, streams.err_is_terminal, results.size());
    RunSideBySide(results.size(), flags.threads, [&](std::size_t i) {
      simulate::ChurnOptions options;
      options.load = *flags.churn;
      options.service.sees_cpu_pods = !flags.unseen_cpu_pods;
      options.seed = inputs->seeds[i % seeds];
      results[i] = simulate::ReplayChurn(inputs->trace, *policies[i / seeds], options, clock,
                                         [&bar, i](double part) { bar.Report(i, part); });
    });
  }
  std::vector<simulate::ChurnRuns> runs;
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (!results[i].ok()) {
      return results[i].status().WithContext(flags.pods.front());
    }
    if (i % seeds == 0) {
      runs.push_back({std::string(policies[i / seeds]->name()), {}});
    }
    runs.back().runs.push_back(*std::move(results[i]));
  }
  streams.out << (flags.wants_json() ? simulate::ChurnJson(*flags.churn, runs)
                                     : simulate::ChurnTable(*flags.churn, runs));
  return Status::Ok();
}

}  // namespace aliquot::cli
