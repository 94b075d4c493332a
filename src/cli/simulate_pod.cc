// SPDX-License-Identifier: Apache-2.0
// aliquotctl simulate --pod pod.yaml: where one pod would go, without creating it.
#include <ostream>
#include <string>
#include <utility>

#include "base/clock.h"
#include "cli/cluster_connection.h"
#include "cli/cluster_view.h"
#include "cli/pod_manifest.h"
#include "cli/report_text.h"
#include "cli/simulate_flags.h"
#include "cli/text_file.h"
#include "explain/explain.h"
#include "explain/explain_json.h"
#include "ledger/ledger.h"
#include "scoring/placer.h"
#include "scoring/policy_registry.h"
#include "topology/node_topology.h"

namespace aliquot::cli {
namespace {

constexpr std::size_t kMaxManifestBytes = std::size_t{4} << 20;

Status CheckFlags(const SimulateFlags& flags) {
  const bool names_server = !flags.cluster.kubeconfig.empty() || !flags.cluster.context.empty() ||
                            flags.cluster.in_cluster;
  if (names_server && !flags.cluster_file.empty()) {
    return InvalidArgument(
        "--cluster is a file in place of an API server; give it or --kubeconfig, and not both");
  }
  if (!flags.nodes.empty() || !flags.pods.empty() || !flags.topology.empty()) {
    return InvalidArgument("--nodes, --pods and --topology belong to a trace, not to --pod");
  }
  return Status::Ok();
}

struct AskedPod {
  model::Pod pod;
  model::PodDemand demand;
};

Result<AskedPod> ReadPod(const std::string& file, const model::ResourceNames& names) {
  const auto text = ReadTextFile(file, kMaxManifestBytes);
  if (!text.ok()) {
    return text.status();
  }
  auto pod = ParsePodManifest(*text, file, names);
  if (!pod.ok()) {
    return pod.status();
  }
  auto demand = model::DemandOf(*pod, names);
  if (!demand.ok()) {
    return demand.status().WithContext(file);
  }
  if (demand->empty()) {
    return InvalidArgument(file + ": no container asks for " + names.core +
                           "; kube-scheduler places this pod without Aliquot");
  }
  return AskedPod{*std::move(pod), *std::move(demand)};
}

Status ReadCluster(const SimulateFlags& flags, const Clock& clock, ClusterView& view) {
  if (!flags.cluster_file.empty()) {
    return view.ReadFile(flags.cluster_file);
  }
  const auto transport = Connect(flags.cluster, clock);
  return transport.ok() ? view.ReadApiServer(**transport) : transport.status();
}

}  // namespace

Status SimulatePod(const SimulateFlags& flags, Streams& streams) {
  if (Status status = CheckFlags(flags); !status.ok()) {
    return status;
  }
  const model::ResourceNames names;
  const auto asked = ReadPod(flags.pod, names);
  if (!asked.ok()) {
    return asked.status();
  }
  const auto policy =
      scoring::PolicyNamed(flags.policy.value_or(std::string(scoring::kDefaultPolicy)));
  if (!policy.ok()) {
    return policy.status().WithContext("--policy");
  }
  const RealClock clock;
  const scoring::Placer placer(scoring::PlacerOptions(), **policy);
  topology::Catalog catalog;
  ledger::Ledger ledger(placer, catalog, names, clock);
  ClusterView view(ledger, names, clock);
  if (Status status = ReadCluster(flags, clock, view); !status.ok()) {
    return status;
  }
  const auto outlook = view.Outlook();
  const scoring::Ask ask(asked->demand, asked->pod.tolerates_cordon, *outlook);
  const auto report = explain::ExplainPod(ask, *ledger.Read(), placer);
  streams.out << (flags.output.value_or("text") == "json"
                      ? explain::ToJson(report, asked->demand, 2) + "\n"
                      : ReportText(report, asked->demand));
  return Status::Ok();
}

}  // namespace aliquot::cli
