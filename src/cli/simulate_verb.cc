// SPDX-License-Identifier: Apache-2.0
// aliquotctl simulate: replays a trace, or says where one pod would go.
#include <CLI/CLI.hpp>
#include <memory>

#include "cli/cluster_connection.h"
#include "cli/simulate_flags.h"

namespace aliquot::cli {
namespace {

Status RunSimulate(const SimulateFlags& flags, Streams& streams) {
  if (!flags.pod.empty()) {
    return SimulatePod(flags, streams);
  }
  if (flags.format == "mapa") {
    return SimulateMapa(flags, streams);
  }
  return flags.churn ? SimulateChurn(flags, streams) : SimulateOpenb(flags, streams);
}

void AddTraceFlags(CLI::App& verb, SimulateFlags& flags) {
  verb.add_option("--format", flags.format, "of the trace")
      ->check(CLI::IsMember({"openb", "mapa"}))
      ->type_name("openb|mapa")
      ->capture_default_str();
  verb.add_option("--nodes", flags.nodes, "openb: list of nodes")->type_name("N.csv");
  verb.add_option("--pods", flags.pods, "list of pods (openb) or jobs (mapa: one file or more)")
      ->type_name("P.csv");
  verb.add_option("--topology", flags.topology, "mapa: the node, as aliquotctl topology reads it")
      ->type_name("T.csv");
  verb.add_option(
          "--matrix", flags.matrices,
          "openb: links of the nodes whose model begins with, or that have as many cards as, "
          "WHICH; may be repeated, the first that fits holds")
      ->type_name("WHICH=FILE");
  verb.add_option("--policy", flags.policy,
                  "composite (default), or any policy of the allocator; mapa: also baseline, "
                  "topoAware, greedy, preserve")
      ->type_name("NAME");
}

void AddRunFlags(CLI::App& verb, SimulateFlags& flags) {
  verb.add_option("--seed", flags.seed, "of the random order (42)")->type_name("S");
  verb.add_option("--seeds", flags.seeds, "several runs, with mean and deviation")
      ->type_name("42-51");
  verb.add_option("--arrivals", flags.arrivals,
                  "openb: pods arrive until they ask for this many times the cluster's GPUs (1.3)")
      ->type_name("RATIO");
  verb.add_option("--churn", flags.churn,
                  "openb: pods come and go at this load (0.9 is 90 % of the GPUs) instead; fgd and "
                  "first-fit run beside")
      ->type_name("LOAD");
  verb.add_flag("--unseen-cpu-pods", flags.unseen_cpu_pods,
                "openb: the allocator does not know what pods without GPU take of a node");
  verb.add_option("--threads", flags.threads, "seeds that run side by side")
      ->check(CLI::Range(1, 256))
      ->type_name("N")
      ->capture_default_str();
  verb.add_option("--output", flags.output,
                  "json (default) or table; of one pod text (default) or json")
      ->check(CLI::IsMember({"json", "table", "text"}))
      ->type_name("json|table|text");
  verb.add_option("--plot", flags.plot, "openb: write a picture of the allocation here")
      ->type_name("FILE.svg");
}

void AddPodFlags(CLI::App& verb, SimulateFlags& flags) {
  verb.add_option("--pod", flags.pod, "say where this one pod would go instead, YAML or JSON")
      ->type_name("POD.yaml");
  AddClusterFlags(verb, flags.cluster, /*in_cluster=*/true);
  verb.add_option("--cluster", flags.cluster_file, "pod: a cluster file in place of an API server")
      ->type_name("FILE");
}

}  // namespace

void AddSimulateVerb(CLI::App& app, Run& run) {
  auto flags = std::make_shared<SimulateFlags>();
  CLI::App* verb = app.add_subcommand(
      "simulate",
      "replay a trace through the allocator's own decisions, or place one pod on paper");
  AddTraceFlags(*verb, *flags);
  AddRunFlags(*verb, *flags);
  AddPodFlags(*verb, *flags);
  verb->callback(
      [flags, &run] { run = [flags](Streams& streams) { return RunSimulate(*flags, streams); }; });
}

}  // namespace aliquot::cli
