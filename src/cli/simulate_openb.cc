// SPDX-License-Identifier: Apache-2.0
// aliquotctl simulate --nodes N.csv --pods P.csv: the inflation experiment.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <optional>
#include <ostream>
#include <thread>

#include "base/clock.h"
#include "base/strings.h"
#include "cli/curve_svg.h"
#include "cli/number_list.h"
#include "cli/progress_bar.h"
#include "cli/simulate_flags.h"
#include "cli/text_file.h"
#include "scoring/policy_registry.h"
#include "simulate/openb_replay.h"
#include "simulate/replay_report.h"
#include "topology/read_topology.h"

namespace aliquot::cli {
namespace {

using simulate::ReplayResult;

constexpr double kMostArrivals = 100;

Status CheckFlags(const SimulateFlags& flags) {
  if (flags.nodes.empty() || flags.pods.size() != 1) {
    return InvalidArgument("--format openb needs --nodes and one --pods; name both files");
  }
  if (!flags.topology.empty()) {
    return InvalidArgument("--topology belongs to --format mapa; for openb use --matrix");
  }
  if (flags.seed && flags.seeds) {
    return InvalidArgument("--seed and --seeds are both given; keep one");
  }
  if (!(flags.arrivals > 0 && flags.arrivals <= kMostArrivals)) {
    return InvalidArgument("--arrivals is out of range; use a number above 0 and up to 100");
  }
  return Status::Ok();
}

Result<simulate::OpenbTrace> LoadTrace(const SimulateFlags& flags) {
  const auto nodes_text = ReadTextFile(flags.nodes);
  const auto pods_text = ReadTextFile(flags.pods.front());
  if (!nodes_text.ok() || !pods_text.ok()) {
    return nodes_text.ok() ? pods_text.status() : nodes_text.status();
  }
  auto nodes = simulate::ParseTraceNodes(*nodes_text, flags.nodes);
  auto pods = simulate::ParseTracePods(*pods_text, flags.pods.front());
  if (!nodes.ok() || !pods.ok()) {
    return nodes.ok() ? pods.status() : nodes.status();
  }
  return simulate::OpenbTrace{*std::move(nodes), *std::move(pods)};
}

Status AddMatrices(const SimulateFlags& flags, simulate::LinkRules& rules) {
  for (const std::string& matrix : flags.matrices) {
    const std::size_t equals = matrix.find('=');
    if (equals == std::string::npos) {
      return InvalidArgument("--matrix is \"" + Printable(matrix) + "\"; use WHICH=FILE");
    }
    const std::string path = matrix.substr(equals + 1);
    const auto text = ReadTextFile(path);
    const auto description = text.ok() ? topology::ReadTopology(*text, path)
                                       : Result<topology::Description>(text.status());
    if (!description.ok()) {
      return description.status();
    }
    if (Status status = rules.Add(matrix.substr(0, equals), *description); !status.ok()) {
      return status.WithContext("--matrix " + Printable(matrix));
    }
  }
  return Status::Ok();
}

// Cards are given in whole percents; the figures count what the trace asks for.
void NoteRounding(const simulate::OpenbTrace& trace, Streams& streams) {
  const auto rounded =
      std::count_if(trace.pods.begin(), trace.pods.end(),
                    [](const simulate::TracePod& pod) { return pod.gpu_milli % 10 != 0; });
  if (rounded > 0) {
    streams.err << "note: gpu_milli of " << rounded
                << " pods is no multiple of 10; they are placed with the next whole percent\n";
  }
}

// Runs every seed, some side by side; results in the order of the seeds.
class SeedRuns {
 public:
  SeedRuns(const simulate::OpenbTrace& trace, const scoring::Policy& policy,
           const simulate::ReplayOptions& options, const std::vector<std::uint64_t>& seeds)
      : trace_(trace),
        policy_(policy),
        options_(options),
        seeds_(seeds),
        results_(seeds.size(), Status(StatusCode::kInternal, "the run did not start")) {}

  Result<std::vector<ReplayResult>> Run(int threads, Streams& streams) {
    ProgressBar bar(streams.err, streams.err_is_terminal, seeds_.size());
    std::vector<std::thread> others;
    const auto most = std::min<std::size_t>(static_cast<std::size_t>(threads), seeds_.size());
    for (std::size_t i = 1; i < most; ++i) {
      others.emplace_back([this, &bar] { TakeSeeds(bar); });
    }
    TakeSeeds(bar);
    for (std::thread& other : others) {
      other.join();
    }
    std::vector<ReplayResult> done;
    for (Result<ReplayResult>& result : results_) {
      if (!result.ok()) {
        return result.status();
      }
      done.push_back(*std::move(result));
    }
    return done;
  }

 private:
  void TakeSeeds(ProgressBar& bar) {
    for (std::size_t i = next_++; i < seeds_.size(); i = next_++) {
      simulate::ReplayOptions options = options_;
      options.seed = seeds_[i];
      results_[i] = simulate::ReplayOpenb(trace_, policy_, options, clock_,
                                          [&bar, i](double part) { bar.Report(i, part); });
    }
  }

  const simulate::OpenbTrace& trace_;
  const scoring::Policy& policy_;
  const simulate::ReplayOptions& options_;
  const std::vector<std::uint64_t>& seeds_;
  const RealClock clock_;
  std::atomic<std::size_t> next_{0};
  std::vector<Result<ReplayResult>> results_;
};

Status Report(const SimulateFlags& flags, const scoring::Policy& policy,
              const std::vector<ReplayResult>& results, Streams& streams) {
  std::vector<simulate::SeededRun> runs;
  for (const ReplayResult& result : results) {
    runs.push_back({result.seed, simulate::FiguresOf(result, !flags.matrices.empty())});
  }
  streams.out << (flags.output.value_or("json") == "json"
                      ? simulate::ReplayJson(policy.name(), runs)
                      : simulate::ReplayTable(policy.name(), runs));
  if (flags.plot.empty()) {
    return Status::Ok();
  }
  const std::string title =
      "policy " + std::string(policy.name()) + ", " + Printable(flags.pods.front());
  return WriteTextFile(flags.plot, DrawCurves(title, results));
}

}  // namespace

Status SimulateOpenb(const SimulateFlags& flags, Streams& streams) {
  if (Status status = CheckFlags(flags); !status.ok()) {
    return status;
  }
  const auto policy =
      scoring::PolicyNamed(flags.policy.value_or(std::string(scoring::kDefaultPolicy)));
  if (!policy.ok()) {
    return policy.status().WithContext("--policy");
  }
  const auto seeds = flags.seeds ? ParseSeeds(*flags.seeds, "--seeds")
                                 : ParseSeeds(flags.seed.value_or("42"), "--seed");
  if (!seeds.ok()) {
    return seeds.status();
  }
  const auto trace = LoadTrace(flags);
  if (!trace.ok()) {
    return trace.status();
  }
  simulate::ReplayOptions options;
  options.arrivals = flags.arrivals;
  if (Status status = AddMatrices(flags, options.links); !status.ok()) {
    return status;
  }
  NoteRounding(*trace, streams);
  const auto results = SeedRuns(*trace, **policy, options, *seeds).Run(flags.threads, streams);
  if (!results.ok()) {
    return results.status().WithContext(flags.pods.front());
  }
  return Report(flags, **policy, *results, streams);
}

}  // namespace aliquot::cli
