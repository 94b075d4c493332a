// SPDX-License-Identifier: Apache-2.0
// aliquotctl simulate --format mapa: MAPA's evaluation on one node.
#include <memory>
#include <ostream>

#include "base/strings.h"
#include "cli/simulate_flags.h"
#include "cli/text_file.h"
#include "model/inventory.h"
#include "scoring/policy_registry.h"
#include "simulate/mapa_jobs.h"
#include "simulate/mapa_policy.h"
#include "simulate/mapa_replay.h"
#include "simulate/replay_report.h"
#include "simulate/service_chooser.h"
#include "topology/read_topology.h"

namespace aliquot::cli {
namespace {

Status CheckFlags(const SimulateFlags& flags) {
  if (flags.topology.empty() || flags.pods.empty()) {
    return InvalidArgument("--format mapa needs --topology and --pods; name both files");
  }
  if (!flags.nodes.empty() || !flags.matrices.empty() || flags.churn || !flags.plot.empty() ||
      flags.arrivals || flags.unseen_cpu_pods) {
    return InvalidArgument(
        "--nodes, --matrix, --arrivals, --churn, --unseen-cpu-pods and --plot belong to --format "
        "openb; leave them out");
  }
  if (flags.seed || flags.seeds) {
    return InvalidArgument("--format mapa draws nothing at random; leave --seed and --seeds out");
  }
  return Status::Ok();
}

Result<std::unique_ptr<simulate::MapaPolicy>> PolicyNamed(const std::string& name,
                                                          const topology::Description& description,
                                                          const simulate::RingModel& model) {
  if (auto peer = simulate::MakeMapaPolicy(name, model)) {
    return peer;
  }
  const scoring::Policy* own = scoring::FindPolicy(name);
  if (own == nullptr) {
    std::vector<std::string> names;
    for (const std::string_view each : scoring::PolicyNames()) names.emplace_back(each);
    for (const std::string_view each : simulate::MapaPolicyNames()) names.emplace_back(each);
    return InvalidArgument("--policy is \"" + Printable(name) + "\", not known; use one of " +
                           Join(names, ", "));
  }
  return simulate::MakeServiceChooser(description, *own);
}

Result<topology::Description> LoadTopology(const std::string& path) {
  const auto text = ReadTextFile(path);
  if (!text.ok()) {
    return text.status();
  }
  auto description = topology::ReadTopology(*text, path);
  if (description.ok() && description->links.empty()) {
    return InvalidArgument(path + ": MAPA's model counts links between pairs of GPUs, and a " +
                           description->format + " has none; give a pair list or a matrix");
  }
  return description;
}

}  // namespace

Status SimulateMapa(const SimulateFlags& flags, Streams& streams) {
  if (Status status = CheckFlags(flags); !status.ok()) {
    return status;
  }
  const auto description = LoadTopology(flags.topology);
  if (!description.ok()) {
    return description.status();
  }
  const simulate::RingModel model(*description);
  const std::string name = flags.policy.value_or(std::string(scoring::kDefaultPolicy));
  const auto policy = PolicyNamed(name, *description, model);
  if (!policy.ok()) {
    return policy.status();
  }
  simulate::MapaOutcome outcome;
  for (const std::string& path : flags.pods) {
    const auto text = ReadTextFile(path);
    const auto jobs = text.ok() ? simulate::ParseMapaJobs(*text, path)
                                : Result<std::vector<simulate::MapaJob>>(text.status());
    if (!jobs.ok()) {
      return jobs.status();
    }
    if (Status status = simulate::ReplayMapa(model, *jobs, **policy, outcome); !status.ok()) {
      return status.WithContext(path);
    }
  }
  streams.out << (flags.wants_json() ? simulate::MapaJson(name, outcome)
                                     : simulate::MapaTable(name, outcome));
  return Status::Ok();
}

}  // namespace aliquot::cli
