// SPDX-License-Identifier: Apache-2.0
// aliquotctl get nodes|cards|pods: who holds what.
#include <CLI/CLI.hpp>
#include <memory>
#include <ostream>
#include <string>

#include "cli/cluster_connection.h"
#include "cli/cluster_ledger.h"
#include "cli/get/print.h"
#include "cli/get/question.h"
#include "cli/get/rows.h"
#include "cli/json_yaml.h"
#include "cli/verb.h"
#include "scoring/policy_registry.h"

namespace aliquot::cli {
namespace {

struct GetFlags {
  Question question;
  std::string cluster_file;
  bool all_nodes = false;
};

// Writes the rows as asked; `table` makes the columns.
template <typename Row, typename MakeTable>
void Show(const Question& question, const std::vector<Row>& rows, const std::string& nothing,
          const MakeTable& table, Streams& streams) {
  if (question.structured()) {
    streams.out << ToDocument(ToJson(rows), question.output);
  } else if (rows.empty()) {
    streams.err << nothing << '\n';
  } else {
    streams.out << table();
  }
}

Status ShowNodes(const GetFlags& flags, const ClusterLedger& cluster, Streams& streams) {
  const Question& question = flags.question;
  auto rows = NodeRows(cluster.ledger(), flags.all_nodes || !question.name.empty());
  const Status there = KeepAsked(question, rows);
  if (there.ok()) {
    Show(
        question, rows, NoNodes() + " --all shows every node",
        [&] { return NodeTable(rows, question.wide()); }, streams);
  }
  return there;
}

Status ShowCards(const Question& question, const ClusterLedger& cluster, Streams& streams) {
  auto rows = CardRows(cluster.ledger());
  const Status there = KeepAsked(question, rows);
  if (there.ok()) {
    Show(
        question, rows, NoNodes(), [&] { return CardTable(rows, question.wide()); }, streams);
  }
  return there;
}

Status ShowPods(const Question& question, const std::string& namespace_name,
                const ClusterLedger& cluster, const Clock& clock, Streams& streams) {
  auto rows = PodRows(cluster.ledger(), cluster.gpu_pods(), question.names);
  KeepNamespace(namespace_name, rows);
  const Status there = KeepAsked(question, rows);
  if (there.ok()) {
    Show(
        question, rows, NoPods(question, namespace_name),
        [&] { return PodTable(rows, question.wide(), namespace_name.empty(), clock.SystemNow()); },
        streams);
  }
  return there;
}

// `namespace_name` becomes the one that is meant.
Status Read(const GetFlags& flags, const Clock& clock, ClusterLedger& cluster,
            std::string& namespace_name, Streams& streams) {
  if (!flags.cluster_file.empty()) {
    namespace_name = PodsNamespace(flags.question, "");
    return cluster.view().ReadFile(flags.cluster_file);
  }
  const auto config = LoadClientConfig(flags.question.cluster);
  if (!config.ok()) {
    return config.status();
  }
  namespace_name = PodsNamespace(flags.question, config->namespace_name);
  const auto transport = Connect(*config, clock);
  return transport.ok()
             ? ReadCluster(flags.question, namespace_name, **transport, cluster.view(), streams)
             : transport.status();
}

Status RunGet(const GetFlags& flags, Streams& streams) {
  if (Status good = CheckQuestion(flags.question); !good.ok()) {
    return good;
  }
  if (!flags.question.selector.empty() && !flags.cluster_file.empty()) {
    return InvalidArgument("-l selects pods of an API server; leave it out with --cluster");
  }
  const auto policy = scoring::PolicyNamed(std::string(scoring::kDefaultPolicy));
  if (!policy.ok()) {
    return policy.status();
  }
  const RealClock clock;
  ClusterLedger cluster(flags.question.names, clock, **policy);
  std::string namespace_name;
  if (Status status = Read(flags, clock, cluster, namespace_name, streams); !status.ok()) {
    return status;
  }
  if (flags.question.what == "nodes") {
    return ShowNodes(flags, cluster, streams);
  }
  return flags.question.what == "cards"
             ? ShowCards(flags.question, cluster, streams)
             : ShowPods(flags.question, namespace_name, cluster, clock, streams);
}

}  // namespace

void AddGetVerb(CLI::App& app, Run& run) {
  auto flags = std::make_shared<GetFlags>();
  CLI::App* verb = app.add_subcommand("get", "who holds what: nodes, cards or pods");
  AddQuestionFlags(*verb, flags->question);
  verb->add_flag("--all", flags->all_nodes, "nodes without cards, too");
  verb->add_option("--cluster", flags->cluster_file, "a cluster file in place of an API server")
      ->type_name("FILE");
  verb->callback(
      [flags, &run] { run = [flags](Streams& streams) { return RunGet(*flags, streams); }; });
}

}  // namespace aliquot::cli
