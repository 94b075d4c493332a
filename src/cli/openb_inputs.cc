// SPDX-License-Identifier: Apache-2.0
#include "cli/openb_inputs.h"

#include <algorithm>
#include <atomic>
#include <ostream>
#include <string>
#include <thread>
#include <utility>

#include "base/strings.h"
#include "cli/number_list.h"
#include "cli/text_file.h"
#include "scoring/policy_registry.h"
#include "topology/read_topology.h"

namespace aliquot::cli {
namespace {

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
  return Status::Ok();
}

Result<simulate::OpenbTrace> LoadTrace(const SimulateFlags& flags) {
  const auto nodes_text = ReadTextFile(flags.nodes);
  if (!nodes_text.ok()) {
    return nodes_text.status();
  }
  auto nodes = simulate::ParseTraceNodes(*nodes_text, flags.nodes);
  if (!nodes.ok()) {
    return nodes.status();
  }
  if (simulate::TotalGpuMilli(*nodes) == 0) {
    return InvalidArgument(Printable(flags.nodes, 200) +
                           ": no node has a GPU; give nodes with gpu above 0");
  }
  const auto pods_text = ReadTextFile(flags.pods.front());
  if (!pods_text.ok()) {
    return pods_text.status();
  }
  auto pods = simulate::ParseTracePods(*pods_text, flags.pods.front());
  if (!pods.ok()) {
    return pods.status();
  }
  return simulate::OpenbTrace{*std::move(nodes), *std::move(pods)};
}

Status AddMatrix(const std::string& matrix, simulate::LinkRules& rules) {
  const std::size_t equals = matrix.find('=');
  if (equals == std::string::npos) {
    return InvalidArgument("--matrix is \"" + Printable(matrix) + "\"; use WHICH=FILE");
  }
  const std::string path = matrix.substr(equals + 1);
  const auto text = ReadTextFile(path);
  if (!text.ok()) {
    return text.status();
  }
  const auto description = topology::ReadTopology(*text, path);
  if (!description.ok()) {
    return description.status();
  }
  return rules.Add(matrix.substr(0, equals), *description)
      .WithContext("--matrix " + Printable(matrix));
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

}  // namespace

Result<OpenbInputs> ReadOpenbInputs(const SimulateFlags& flags, Streams& streams) {
  if (Status status = CheckFlags(flags); !status.ok()) {
    return status;
  }
  OpenbInputs inputs;
  const auto policy =
      scoring::PolicyNamed(flags.policy.value_or(std::string(scoring::kDefaultPolicy)));
  if (!policy.ok()) {
    return policy.status().WithContext("--policy");
  }
  inputs.policy = *policy;
  auto seeds = flags.seeds ? ParseSeeds(*flags.seeds, "--seeds")
                           : ParseSeeds(flags.seed.value_or("42"), "--seed");
  if (!seeds.ok()) {
    return seeds.status();
  }
  inputs.seeds = *std::move(seeds);
  auto trace = LoadTrace(flags);
  if (!trace.ok()) {
    return trace.status();
  }
  inputs.trace = *std::move(trace);
  for (const std::string& matrix : flags.matrices) {
    if (Status status = AddMatrix(matrix, inputs.links); !status.ok()) {
      return status;
    }
  }
  NoteRounding(inputs.trace, streams);
  return inputs;
}

void RunSideBySide(std::size_t count, int threads, const std::function<void(std::size_t)>& run) {
  std::atomic<std::size_t> next{0};
  const auto take = [&] {
    for (std::size_t i = next++; i < count; i = next++) {
      run(i);
    }
  };
  std::vector<std::thread> others;
  const auto most = std::min(static_cast<std::size_t>(threads), count);
  for (std::size_t i = 1; i < most; ++i) {
    others.emplace_back(take);
  }
  take();
  for (std::thread& other : others) {
    other.join();
  }
}

}  // namespace aliquot::cli
