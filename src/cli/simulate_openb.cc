// SPDX-License-Identifier: Apache-2.0
// aliquotctl simulate --nodes N.csv --pods P.csv: the inflation experiment.
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/strings.h"
#include "cli/curve_svg.h"
#include "cli/openb_inputs.h"
#include "cli/progress_bar.h"
#include "cli/simulate_flags.h"
#include "cli/text_file.h"
#include "simulate/replay_report.h"

namespace aliquot::cli {
namespace {

using simulate::ReplayResult;

constexpr double kHighestRatio = 100;

// In the order of the seeds.
Result<std::vector<ReplayResult>> RunSeeds(const OpenbInputs& inputs, const SimulateFlags& flags,
                                           Streams& streams) {
  const RealClock clock;
  std::vector<Result<ReplayResult>> results(inputs.seeds.size(),
                                            Status(StatusCode::kInternal, "the run did not start"));
  {
    ProgressBar bar(streams.err, streams.err_is_terminal, results.size());
    RunSideBySide(results.size(), flags.threads, [&](std::size_t i) {
      simulate::ReplayOptions options;
      options.arrivals = flags.arrivals.value_or(kDefaultArrivals);
      options.seed = inputs.seeds[i];
      options.links = inputs.links;
      options.service.sees_cpu_pods = !flags.unseen_cpu_pods;
      results[i] = simulate::ReplayOpenb(inputs.trace, *inputs.policy, options, clock,
                                         [&bar, i](double part) { bar.Report(i, part); });
    });
  }
  std::vector<ReplayResult> done;
  for (Result<ReplayResult>& result : results) {
    if (!result.ok()) {
      return result.status().WithContext(flags.pods.front());
    }
    done.push_back(*std::move(result));
  }
  return done;
}

}  // namespace

Status SimulateOpenb(const SimulateFlags& flags, Streams& streams) {
  const double arrivals = flags.arrivals.value_or(kDefaultArrivals);
  if (!(arrivals > 0 && arrivals <= kHighestRatio)) {
    return InvalidArgument("--arrivals is out of range; use a number above 0 and up to 100");
  }
  const auto inputs = ReadOpenbInputs(flags, streams);
  if (!inputs.ok()) {
    return inputs.status();
  }
  const auto results = RunSeeds(*inputs, flags, streams);
  if (!results.ok()) {
    return results.status();
  }
  std::vector<simulate::SeededRun> runs;
  for (const ReplayResult& result : *results) {
    runs.push_back({result.seed, simulate::FiguresOf(result, !flags.matrices.empty())});
  }
  const std::string_view policy = inputs->policy->name();
  streams.out << (flags.wants_json() ? simulate::ReplayJson(policy, runs)
                                     : simulate::ReplayTable(policy, runs));
  if (flags.plot.empty()) {
    return Status::Ok();
  }
  const std::string& path = flags.pods.front();
  const std::string title =
      "policy " + std::string(policy) + ", " + Printable(path.substr(path.rfind('/') + 1));
  return WriteTextFile(flags.plot, DrawCurves(title, *results));
}

}  // namespace aliquot::cli
