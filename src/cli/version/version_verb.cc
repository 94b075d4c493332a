// SPDX-License-Identifier: Apache-2.0
// aliquotctl version: of this program, and of what the cluster runs, as far as that may be seen.
#include <CLI/CLI.hpp>
#include <memory>
#include <optional>
#include <ostream>
#include <string>

#include "api/kubernetes_name.h"
#include "base/strings.h"
#include "cli/cluster_connection.h"
#include "cli/doctor/api_reader.h"
#include "cli/json_yaml.h"
#include "cli/table.h"
#include "cli/verb.h"
#include "cli/version/versions.h"
#include "kubeclient/verbs.h"
#include "observability/build_info.h"

namespace aliquot::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kShown = 8000;  // of the skew, in which texts of the cluster are
constexpr char kOurPods[] = "app.kubernetes.io/name in (aliquot-agent,aliquot-allocator)";

struct VersionFlags {
  ClusterFlags cluster;
  std::string namespace_name = "aliquot-system";
  bool client = false;
  std::string output = "text";
};

// The image tags and labels of pods: who may list pods in the namespace may see them.
Result<ClusterVersions> Look(const VersionFlags& flags) {
  const RealClock clock;
  const auto transport = Connect(flags.cluster, clock);
  if (!transport.ok()) {
    return transport.status();
  }
  ApiReader reader(**transport, clock);
  ClusterVersions versions;
  const Status status =
      reader.ForEach(kubeclient::kListPods, flags.namespace_name, kOurPods,
                     [&versions](const nlohmann::json& pod) { CountPod(pod, versions); });
  if (!status.ok()) {
    return status;
  }
  if (versions.allocators.empty() && versions.agents.empty()) {
    return NotFound("no pod of Aliquot is in namespace " + flags.namespace_name +
                    "; name its namespace with -n");
  }
  return versions;
}

Json RowsJson(const std::vector<VersionRow>& rows) {
  Json items = Json::array();
  for (const VersionRow& row : rows) {
    items.push_back({{"version", row.version}, {"image", row.image}, {"pods", row.pods}});
  }
  return items;
}

Json ToJson(const std::optional<ClusterVersions>& versions, const std::string& skew) {
  return {{"client",
           {{"version", std::string(observability::Version())},
            {"commit", std::string(observability::Commit())}}},
          {"allocator", versions ? RowsJson(versions->allocators) : Json()},
          {"agents", versions ? RowsJson(versions->agents) : Json()},
          {"skew", skew}};
}

void AddRows(const std::string& part, const std::vector<VersionRow>& rows, Table& table) {
  for (const VersionRow& row : rows) {
    table.Add({part, row.version, row.image, std::to_string(row.pods)});
  }
}

std::string ToText(const std::optional<ClusterVersions>& versions, const std::string& skew) {
  std::string text = "aliquotctl " + std::string(observability::Version()) + " (commit " +
                     std::string(observability::Commit()) + ")\n";
  if (!versions) {
    return text;
  }
  Table table({"PART", "VERSION", "IMAGE", "PODS"});
  AddRows("allocator", versions->allocators, table);
  AddRows("agent", versions->agents, table);
  return text + table.Text() + (skew.empty() ? "" : Printable(skew, kShown) + "\n");
}

Status RunVersion(const VersionFlags& flags, Streams& streams) {
  if (!api::IsDnsLabel(flags.namespace_name)) {
    return InvalidArgument("the namespace is \"" + Printable(flags.namespace_name) +
                           "\"; give the name of a namespace");
  }
  std::optional<ClusterVersions> versions;
  std::string skew;
  if (!flags.client) {
    const auto seen = Look(flags);
    if (seen.ok()) {
      versions = *seen;
      skew = Skew(std::string(observability::Version()), *versions);
    } else {
      streams.err << "note: the cluster's versions are not shown: " << seen.status().message()
                  << '\n';
    }
  }
  if (flags.output == "text") {
    streams.out << ToText(versions, skew);
  } else {
    streams.out << ToDocument(ToJson(versions, skew), flags.output);
  }
  return Status::Ok();
}

}  // namespace

void AddVersionVerb(CLI::App& app, Run& run) {
  auto flags = std::make_shared<VersionFlags>();
  CLI::App* verb = app.add_subcommand(
      "version", "of this program, and of the allocator and the agents that a cluster runs");
  verb->add_flag("--client", flags->client, "of this program only");
  verb->add_option("-n,--namespace", flags->namespace_name, "where Aliquot is installed")
      ->type_name("NS")
      ->capture_default_str();
  verb->add_option("-o,--output", flags->output, "for people or for programs")
      ->check(CLI::IsMember({"json", "text", "yaml"}))
      ->type_name("text|json|yaml")
      ->capture_default_str();
  AddClusterFlags(*verb, flags->cluster, /*in_cluster=*/true);
  verb->callback(
      [flags, &run] { run = [flags](Streams& streams) { return RunVersion(*flags, streams); }; });
}

}  // namespace aliquot::cli
