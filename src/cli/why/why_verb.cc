// SPDX-License-Identifier: Apache-2.0
// aliquotctl why POD: one line why a pod is pending, or where it went.
#include <CLI/CLI.hpp>
#include <memory>
#include <ostream>
#include <string>

#include "api/kubernetes_name.h"
#include "base/strings.h"
#include "cli/cluster_connection.h"
#include "cli/json_yaml.h"
#include "cli/resource_flags.h"
#include "cli/table.h"
#include "cli/verb.h"
#include "cli/why/evidence.h"
#include "cli/why/gather.h"
#include "cli/why/not_created.h"
#include "cli/why/owned_pods.h"

namespace aliquot::cli {
namespace {

constexpr std::size_t kShown = 8000;  // texts of nodes and other people's controllers are in it

struct WhyFlags {
  ClusterFlags cluster;
  model::ResourceNames names;
  std::string subject;  // POD, or KIND/NAME of what makes pods
  std::string namespace_name;
  bool all_nodes = false;
  std::string output = "text";
};

Status CheckSubject(const std::string& name, const std::string& namespace_name) {
  if (!api::IsDnsSubdomain(name)) {
    return InvalidArgument("POD is \"" + Printable(name) +
                           "\"; give the name of a pod, or deployment/NAME");
  }
  if (!api::IsDnsLabel(namespace_name)) {
    return InvalidArgument("the namespace is \"" + Printable(namespace_name) +
                           "\"; give the name of a namespace");
  }
  return Status::Ok();
}

std::string NodesTable(const explain::Report& report) {
  Table table({"NODE", "FITS", "REASON", "CARDS", "IDLE", "LARGEST CORE", "LARGEST MIB"});
  for (const explain::NodeReport& node : report.nodes) {
    table.Add({node.name, node.verdict.fits() ? "yes" : "no",
               std::string(scoring::RefusalSentence(node.verdict.refusal)),
               std::to_string(node.figures.cards), std::to_string(node.figures.idle_cards),
               std::to_string(node.figures.largest_core_free),
               std::to_string(node.figures.largest_mib_free)});
  }
  return table.Text();
}

void Print(const WhyFlags& flags, const model::PodKey& key, const WhyAnswer& answer,
           const PodEvidence* evidence, const std::vector<std::string>& notes, Streams& streams) {
  if (flags.output == "text") {
    streams.out << key.ToString() << ": " << Printable(answer.sentence, kShown) << '\n';
    if (flags.all_nodes && evidence != nullptr && evidence->report) {
      streams.out << NodesTable(*evidence->report);
    }
    for (const std::string& note : notes) {
      streams.err << "note: " << Printable(note, kShown) << '\n';
    }
    return;
  }
  nlohmann::ordered_json json{{"namespace", key.namespace_name},
                              {"name", key.name},
                              {"code", answer.code},
                              {"sentence", answer.sentence},
                              {"notes", notes}};
  if (flags.all_nodes && evidence != nullptr && evidence->report) {
    nlohmann::ordered_json nodes = nlohmann::ordered_json::array();
    for (const explain::NodeReport& node : evidence->report->nodes) {
      nodes.push_back({{"name", node.name},
                       {"fits", node.verdict.fits()},
                       {"reason", std::string(scoring::RefusalName(node.verdict.refusal))}});
    }
    json["nodes"] = std::move(nodes);
  }
  streams.out << (flags.output == "yaml"
                      ? ToYaml(json)
                      : json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) +
                            "\n");
}

// What makes pods makes none, or no pod has that name: what do the events say?
Status ExplainMissing(const WhyFlags& flags, kubeclient::Transport& transport, const Clock& clock,
                      const Owner& owner, const model::PodKey& key, Streams& streams) {
  const auto failed = ListEvents(transport, clock, key.namespace_name, "reason=FailedCreate");
  if (!failed.ok()) {
    return failed.status();
  }
  if (const SeenEvent* event = FailedCreation(owner, *failed); event != nullptr) {
    Print(flags, key, NotCreated(event->message), nullptr, {}, streams);
    return Status::Ok();
  }
  if (owner.kind.empty() || owner.kind == "Pod") {
    const auto events =
        ListEvents(transport, clock, key.namespace_name, "involvedObject.name=" + key.name);
    if (const WhyAnswer gone = events.ok() ? WentAway(*events) : WhyAnswer(); !gone.code.empty()) {
      Print(flags, key, gone, nullptr, {}, streams);
      return Status::Ok();
    }
  }
  return NotFound("there is no pod " + key.ToString() +
                  " and no event says that one of that name could not be created; name its "
                  "namespace with -n");
}

Status ExplainPodNamed(const WhyFlags& flags, kubeclient::Transport& transport, const Clock& clock,
                       const model::PodKey& key, std::vector<std::string> notes, Streams& streams) {
  const auto evidence = GatherEvidence(transport, clock, key, flags.names, notes);
  if (!evidence.ok()) {
    return evidence.status().code() == StatusCode::kNotFound
               ? ExplainMissing(flags, transport, clock, {"", key.name}, key, streams)
               : evidence.status();
  }
  Print(flags, key, WhyOf(*evidence), &*evidence, notes, streams);
  return Status::Ok();
}

// The pod of the owner that is worth asking about; and what keeps it from making more.
Status ExplainOwner(const WhyFlags& flags, kubeclient::Transport& transport, const Clock& clock,
                    const Owner& owner, const model::PodKey& key, Streams& streams) {
  ApiReader reader(transport, clock);
  const auto pods = FindOwnedPods(reader, key.namespace_name, owner);
  if (!pods.ok()) {
    return pods.status();
  }
  if (pods->count == 0) {
    return ExplainMissing(flags, transport, clock, owner, key, streams);
  }
  std::vector<std::string> notes{"it has " + std::to_string(pods->count) + " " +
                                 (pods->count == 1 ? "pod" : "pods") + "; this is about the one " +
                                 "that is worth asking about"};
  const auto failed = ListEvents(transport, clock, key.namespace_name, "reason=FailedCreate");
  const SeenEvent* event = failed.ok() ? FailedCreation(owner, *failed) : nullptr;
  // An older one is over: a pod was made since.
  if (event != nullptr && event->last > pods->newest) {
    notes.push_back("more of " + NotCreated(event->message).sentence);
  }
  return ExplainPodNamed(flags, transport, clock, {key.namespace_name, pods->worst},
                         std::move(notes), streams);
}

Status RunWhy(const WhyFlags& flags, Streams& streams) {
  const std::size_t slash = flags.subject.find('/');
  const bool with_kind = slash != std::string::npos;
  const Owner owner =
      with_kind ? OwnerNamed(flags.subject.substr(0, slash), flags.subject.substr(slash + 1))
                : OwnerNamed("pod", flags.subject);
  const auto config = LoadClientConfig(flags.cluster);
  if (!config.ok()) {
    return config.status();
  }
  const model::PodKey key{
      flags.namespace_name.empty() ? config->namespace_name : flags.namespace_name, owner.name};
  if (Status good = CheckSubject(key.name, key.namespace_name); !good.ok()) {
    return good;
  }
  const RealClock clock;
  const auto transport = Connect(*config, clock);
  if (!transport.ok()) {
    return transport.status();
  }
  return owner.kind == "Pod" ? ExplainPodNamed(flags, **transport, clock, key, {}, streams)
                             : ExplainOwner(flags, **transport, clock, owner, key, streams);
}

}  // namespace

void AddWhyVerb(CLI::App& app, Run& run) {
  auto flags = std::make_shared<WhyFlags>();
  CLI::App* verb = app.add_subcommand("why", "one line why a pod is pending, or where it went");
  verb->add_option("POD", flags->subject, "the pod's name, or KIND/NAME of what should make it")
      ->required();
  verb->add_option("-n,--namespace", flags->namespace_name, "of the pod (the context's)")
      ->type_name("NS");
  verb->add_flag("--all-nodes", flags->all_nodes, "and what each node says to a pending pod");
  verb->add_option("-o,--output", flags->output, "for people or for programs")
      ->check(CLI::IsMember({"json", "text", "yaml"}))
      ->type_name("text|json|yaml")
      ->capture_default_str();
  AddClusterFlags(*verb, flags->cluster, /*in_cluster=*/true);
  AddResourceFlags(*verb, flags->names);
  verb->callback(
      [flags, &run] { run = [flags](Streams& streams) { return RunWhy(*flags, streams); }; });
}

}  // namespace aliquot::cli
