// SPDX-License-Identifier: Apache-2.0
// aliquotctl top nodes|cards|pods: what is used now beside what is held, by the nodes' agents.
#include <CLI/CLI.hpp>
#include <memory>
#include <ostream>
#include <string>

#include "api/kubernetes_name.h"
#include "base/strings.h"
#include "cli/agent_proxy.h"
#include "cli/cluster_connection.h"
#include "cli/cluster_ledger.h"
#include "cli/get/question.h"
#include "cli/get/rows.h"
#include "cli/json_yaml.h"
#include "cli/progress_bar.h"
#include "cli/top/ask_agents.h"
#include "cli/top/print.h"
#include "cli/top/rows.h"
#include "cli/verb.h"
#include "scoring/policy_registry.h"

namespace aliquot::cli {
namespace {

struct TopFlags {
  Question question;
  AgentAccess access;
  std::string sort_by = "name";
};

// What a run has at hand.
struct Look {
  const TopFlags& flags;
  const Clock& clock;
  kubeclient::Transport& transport;
  const ClusterLedger& cluster;
  const std::string& namespace_name;  // of the pods; "" = all
  Streams& streams;
};

Order OrderOf(const TopFlags& flags) {
  if (flags.sort_by == "core") {
    return Order::kCore;
  }
  return flags.sort_by == "memory" ? Order::kMemory : Order::kName;
}

Result<NodeUsages> Ask(const Look& look, const std::set<std::string>& nodes) {
  AgentProxy proxy(look.transport, look.clock, look.flags.access);
  ProgressBar bar(look.streams.err, look.streams.err_is_terminal, 1);
  return AskAgents(proxy, look.clock, nodes, AskLimits(),
                   [&bar](double part) { bar.Report(0, part); });
}

// The rows are worth showing without any usage, but a script is to know.
Status Outcome(const NodeUsages& usages) {
  std::string first;
  for (const auto& [node, usage] : usages) {
    if (usage.ok()) {
      return Status::Ok();
    }
    first = first.empty() ? usage.status().message() : first;
  }
  return usages.empty() ? Status::Ok()
                        : Unavailable("of " + std::to_string(usages.size()) +
                                      " agents none answers: " + first);
}

template <typename Row, typename MakeTable>
void Print(const Look& look, std::vector<Row>& rows, const MakeTable& table) {
  Sort(OrderOf(look.flags), rows);
  if (look.flags.question.structured()) {
    look.streams.out << ToDocument(ToJson(rows), look.flags.question.output);
  } else {
    look.streams.out << table();
  }
}

Status TopOfCards(const Look& look) {
  const Question& question = look.flags.question;
  auto held = CardRows(look.cluster.ledger());
  if (const Status there = KeepAsked(question, held); !there.ok()) {
    return there;
  }
  if (held.empty() && !question.structured()) {
    look.streams.err << NoNodes() << '\n';
    return Status::Ok();
  }
  const auto usages = Ask(look, NodesOf(held));
  if (!usages.ok()) {
    return usages.status();
  }
  auto cards = TopCards(held, *usages);
  if (question.what == "nodes") {
    auto nodes = TopNodes(cards);
    Print(look, nodes, [&] { return NodeTable(nodes, question.wide()); });
  } else {
    Print(look, cards, [&] { return CardTable(cards, question.wide()); });
  }
  return Outcome(*usages);
}

Status TopOfPods(const Look& look) {
  const Question& question = look.flags.question;
  auto held = PodRows(look.cluster.ledger(), look.cluster.gpu_pods(), question.names);
  KeepNamespace(look.namespace_name, held);
  if (const Status there = KeepAsked(question, held); !there.ok()) {
    return there;
  }
  KeepHolding(held);
  if (held.empty() && !question.structured()) {
    look.streams.err << (question.name.empty()
                             ? "no pod that is asked about holds a card; get pods shows all"
                             : "pod " + question.name + " holds no card now; why " + question.name +
                                   " says why")
                     << '\n';
    return Status::Ok();
  }
  const auto usages = Ask(look, NodesOf(held));
  if (!usages.ok()) {
    return usages.status();
  }
  auto pods = TopPods(held, *usages);
  Print(look, pods, [&] { return PodTable(pods, question.wide(), look.namespace_name.empty()); });
  return Outcome(*usages);
}

Status RunTop(const TopFlags& flags, Streams& streams) {
  const Question& question = flags.question;
  if (Status good = CheckQuestion(question); !good.ok()) {
    return good;
  }
  if (!api::IsDnsLabel(flags.access.namespace_name)) {
    return InvalidArgument("the agents' namespace is \"" + Printable(flags.access.namespace_name) +
                           "\"; give the name of a namespace");
  }
  const auto policy = scoring::PolicyNamed(std::string(scoring::kDefaultPolicy));
  if (!policy.ok()) {
    return policy.status();
  }
  const auto config = LoadClientConfig(question.cluster);
  if (!config.ok()) {
    return config.status();
  }
  const RealClock clock;
  const auto transport = Connect(*config, clock);
  if (!transport.ok()) {
    return transport.status();
  }
  const std::string namespace_name = PodsNamespace(question, config->namespace_name);
  ClusterLedger cluster(question.names, clock, **policy);
  if (Status read = ReadCluster(question, namespace_name, **transport, cluster.view(), streams);
      !read.ok()) {
    return read;
  }
  const Look look{flags, clock, **transport, cluster, namespace_name, streams};
  return question.what == "pods" ? TopOfPods(look) : TopOfCards(look);
}

}  // namespace

void AddTopVerb(CLI::App& app, Run& run) {
  auto flags = std::make_shared<TopFlags>();
  CLI::App* verb = app.add_subcommand(
      "top", "what is used now beside what is held, by the agents: nodes, cards or pods");
  AddQuestionFlags(*verb, flags->question);
  verb->add_option("--sort-by", flags->sort_by, "what is used, the most first")
      ->check(CLI::IsMember({"core", "memory", "name"}))
      ->type_name("name|core|memory")
      ->capture_default_str();
  AddAgentFlags(*verb, flags->access);
  verb->callback(
      [flags, &run] { run = [flags](Streams& streams) { return RunTop(*flags, streams); }; });
}

}  // namespace aliquot::cli
