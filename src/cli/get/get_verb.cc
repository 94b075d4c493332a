// SPDX-License-Identifier: Apache-2.0
// aliquotctl get nodes|cards|pods: who holds what.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <ostream>
#include <string>

#include "api/kubernetes_name.h"
#include "base/strings.h"
#include "cli/cluster_connection.h"
#include "cli/cluster_ledger.h"
#include "cli/get/print.h"
#include "cli/get/rows.h"
#include "cli/json_yaml.h"
#include "cli/resource_flags.h"
#include "cli/verb.h"
#include "scoring/policy_registry.h"

namespace aliquot::cli {
namespace {

struct GetFlags {
  ClusterFlags cluster;
  std::string cluster_file;
  model::ResourceNames names;
  std::string what;
  std::string name;
  std::string namespace_name;
  bool all_namespaces = false;
  bool all_nodes = false;
  std::string selector;
  std::string output = "table";
};

template <typename Row>
std::string Structured(const std::vector<Row>& rows, const std::string& output) {
  const nlohmann::ordered_json json = ToJson(rows);
  return output == "yaml"
             ? ToYaml(json)
             : json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

// Keeps the row of that name; false when there is none.
template <typename Row, typename Name>
bool KeepNamed(std::vector<Row>& rows, const std::string& wanted, const Name& name) {
  if (!wanted.empty()) {
    rows.erase(std::remove_if(rows.begin(), rows.end(),
                              [&](const Row& row) { return name(row) != wanted; }),
               rows.end());
  }
  return wanted.empty() || !rows.empty();
}

// What the flags mean once the kubeconfig is known.
struct Scope {
  std::string namespace_name;  // "": all
  bool wide = false;
  bool structured = false;
};

Status NotThere(const GetFlags& flags) {
  return NotFound("there is no " + flags.what.substr(0, flags.what.size() - 1) + " \"" +
                  Printable(flags.name) + "\" that Aliquot knows; get " + flags.what +
                  " lists all");
}

void Nothing(const std::string& what, Streams& streams) { streams.err << what << '\n'; }

Status ShowNodes(const GetFlags& flags, const Scope& scope, const ClusterLedger& cluster,
                 Streams& streams) {
  auto rows = NodeRows(cluster.ledger(), flags.all_nodes || !flags.name.empty());
  if (!KeepNamed(rows, flags.name, [](const NodeRow& row) { return row.name; })) {
    return NotThere(flags);
  }
  if (scope.structured) {
    streams.out << Structured(rows, flags.output);
  } else if (rows.empty()) {
    Nothing("no node publishes cards; does aliquot-agent run there? --all shows every node",
            streams);
  } else {
    streams.out << NodeTable(rows, scope.wide);
  }
  return Status::Ok();
}

Status ShowCards(const GetFlags& flags, const Scope& scope, const ClusterLedger& cluster,
                 Streams& streams) {
  auto rows = CardRows(cluster.ledger());
  const bool by_uuid = StartsWith(flags.name, "GPU-") || StartsWith(flags.name, "MIG-");
  if (!KeepNamed(rows, flags.name,
                 [by_uuid](const CardRow& row) { return by_uuid ? row.uuid : row.node; })) {
    return NotFound("there is no card or node with cards \"" + Printable(flags.name) +
                    "\"; get cards lists all");
  }
  if (scope.structured) {
    streams.out << Structured(rows, flags.output);
  } else if (rows.empty()) {
    Nothing("no node publishes cards; does aliquot-agent run there?", streams);
  } else {
    streams.out << CardTable(rows, scope.wide);
  }
  return Status::Ok();
}

Status ShowPods(const GetFlags& flags, const Scope& scope, const ClusterLedger& cluster,
                const Clock& clock, Streams& streams) {
  auto rows = PodRows(cluster.ledger(), cluster.gpu_pods(), flags.names);
  if (!scope.namespace_name.empty()) {
    rows.erase(std::remove_if(
                   rows.begin(), rows.end(),
                   [&](const PodRow& row) { return row.namespace_name != scope.namespace_name; }),
               rows.end());
  }
  if (!KeepNamed(rows, flags.name, [](const PodRow& row) { return row.name; })) {
    return NotThere(flags);
  }
  if (scope.structured) {
    streams.out << Structured(rows, flags.output);
  } else if (rows.empty()) {
    Nothing(scope.namespace_name.empty()
                ? "no pod asks for " + flags.names.core
                : "no pod of namespace " + scope.namespace_name + " asks for " + flags.names.core +
                      "; -A looks in all",
            streams);
  } else {
    streams.out << PodTable(rows, scope.wide, scope.namespace_name.empty(), clock.SystemNow());
  }
  return Status::Ok();
}

// Pods are shown without the nodes' cards where those may not be read.
Status ReadForPods(const GetFlags& flags, const Scope& scope, kubeclient::Transport& transport,
                   ClusterView& view, Streams& streams) {
  const Status nodes = view.ReadNodes(transport);
  if (nodes.code() == StatusCode::kPermissionDenied) {
    streams.err << "note: there is no right to list nodes, so cards are shown by their UUIDs\n";
  } else if (!nodes.ok()) {
    return nodes;
  }
  return view.ReadGpuPods(transport, scope.namespace_name, flags.selector);
}

Status Read(const GetFlags& flags, Scope& scope, const Clock& clock, ClusterLedger& cluster,
            Streams& streams) {
  if (!flags.cluster_file.empty()) {
    return cluster.view().ReadFile(flags.cluster_file);
  }
  const auto config = LoadClientConfig(flags.cluster);
  if (!config.ok()) {
    return config.status();
  }
  if (scope.namespace_name.empty() && !flags.all_namespaces) {
    scope.namespace_name = config->namespace_name;
  }
  const auto transport = Connect(*config, clock);
  if (!transport.ok()) {
    return transport.status();
  }
  return flags.what == "pods" ? ReadForPods(flags, scope, **transport, cluster.view(), streams)
                              : cluster.view().ReadApiServer(**transport);
}

Status CheckFlags(const GetFlags& flags) {
  if (!flags.namespace_name.empty() && !api::IsDnsLabel(flags.namespace_name)) {
    return InvalidArgument("the namespace is \"" + Printable(flags.namespace_name) +
                           "\"; give the name of a namespace");
  }
  if (!flags.selector.empty() && (flags.what != "pods" || !flags.cluster_file.empty())) {
    return InvalidArgument("-l selects pods of an API server; leave it out with " +
                           (flags.what != "pods" ? "get " + flags.what : "--cluster"));
  }
  return Status::Ok();
}

Status RunGet(const GetFlags& flags, Streams& streams) {
  if (Status good = CheckFlags(flags); !good.ok()) {
    return good;
  }
  const auto policy = scoring::PolicyNamed(std::string(scoring::kDefaultPolicy));
  if (!policy.ok()) {
    return policy.status();
  }
  Scope scope{flags.all_namespaces ? "" : flags.namespace_name, flags.output == "wide",
              flags.output == "json" || flags.output == "yaml"};
  const RealClock clock;
  ClusterLedger cluster(flags.names, clock, **policy);
  if (Status status = Read(flags, scope, clock, cluster, streams); !status.ok()) {
    return status;
  }
  if (flags.what == "nodes") {
    return ShowNodes(flags, scope, cluster, streams);
  }
  return flags.what == "cards" ? ShowCards(flags, scope, cluster, streams)
                               : ShowPods(flags, scope, cluster, clock, streams);
}

std::string Plural(std::string what) {
  static const std::pair<const char*, const char*> kNames[] = {
      {"node", "nodes"}, {"no", "nodes"}, {"card", "cards"}, {"pod", "pods"}, {"po", "pods"}};
  for (const auto& [one, many] : kNames) {
    if (what == one) {
      return many;
    }
  }
  return what;
}

}  // namespace

void AddGetVerb(CLI::App& app, Run& run) {
  auto flags = std::make_shared<GetFlags>();
  CLI::App* verb = app.add_subcommand("get", "who holds what: nodes, cards or pods");
  verb->add_option("WHAT", flags->what, "nodes, cards or pods")
      ->required()
      ->transform([](const std::string& what) { return Plural(what); })
      ->check(CLI::IsMember({"nodes", "cards", "pods"}));
  verb->add_option("NAME", flags->name, "this one only; of cards: a UUID or a node");
  verb->add_option("-n,--namespace", flags->namespace_name, "of the pods (the context's)")
      ->type_name("NS");
  verb->add_flag("-A,--all-namespaces", flags->all_namespaces, "pods of every namespace");
  verb->add_option("-l,--selector", flags->selector, "pods with these labels")->type_name("LABELS");
  verb->add_flag("--all", flags->all_nodes, "nodes without cards, too");
  verb->add_option("-o,--output", flags->output, "wide: more columns")
      ->check(CLI::IsMember({"json", "table", "wide", "yaml"}))
      ->type_name("table|wide|json|yaml")
      ->capture_default_str();
  AddClusterFlags(*verb, flags->cluster, /*in_cluster=*/true);
  verb->add_option("--cluster", flags->cluster_file, "a cluster file in place of an API server")
      ->type_name("FILE");
  AddResourceFlags(*verb, flags->names);
  verb->callback(
      [flags, &run] { run = [flags](Streams& streams) { return RunGet(*flags, streams); }; });
}

}  // namespace aliquot::cli
