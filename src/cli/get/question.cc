// SPDX-License-Identifier: Apache-2.0
#include "cli/get/question.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <ostream>
#include <utility>

#include "api/kubernetes_name.h"
#include "base/strings.h"
#include "cli/resource_flags.h"

namespace aliquot::cli {
namespace {

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

Status NotThere(const Question& question) {
  return NotFound("there is no " + question.what.substr(0, question.what.size() - 1) + " \"" +
                  Printable(question.name) + "\" that Aliquot knows; get " + question.what +
                  " lists all");
}

}  // namespace

void AddQuestionFlags(CLI::App& verb, Question& question) {
  verb.add_option("WHAT", question.what, "nodes, cards or pods")
      ->required()
      ->transform([](const std::string& what) { return Plural(what); })
      ->check(CLI::IsMember({"nodes", "cards", "pods"}));
  verb.add_option("NAME", question.name, "this one only; of cards: a UUID or a node");
  verb.add_option("-n,--namespace", question.namespace_name, "of the pods (the context's)")
      ->type_name("NS");
  verb.add_flag("-A,--all-namespaces", question.all_namespaces, "pods of every namespace");
  verb.add_option("-l,--selector", question.selector, "pods with these labels")
      ->type_name("LABELS");
  verb.add_option("-o,--output", question.output, "wide: more columns")
      ->check(CLI::IsMember({"json", "table", "wide", "yaml"}))
      ->type_name("table|wide|json|yaml")
      ->capture_default_str();
  AddClusterFlags(verb, question.cluster, /*in_cluster=*/true);
  AddResourceFlags(verb, question.names);
}

Status CheckQuestion(const Question& question) {
  if (!question.namespace_name.empty() && !api::IsDnsLabel(question.namespace_name)) {
    return InvalidArgument("the namespace is \"" + Printable(question.namespace_name) +
                           "\"; give the name of a namespace");
  }
  if (!question.selector.empty() && question.what != "pods") {
    return InvalidArgument("-l selects pods; leave it out with " + question.what);
  }
  return Status::Ok();
}

std::string PodsNamespace(const Question& question, const std::string& of_context) {
  if (question.all_namespaces) {
    return {};
  }
  return question.namespace_name.empty() ? of_context : question.namespace_name;
}

Status ReadCluster(const Question& question, const std::string& namespace_name,
                   kubeclient::Transport& transport, ClusterView& view, Streams& streams) {
  if (question.what != "pods") {
    return view.ReadApiServer(transport);
  }
  // Pods are shown without the nodes' cards where those may not be read.
  const Status nodes = view.ReadNodes(transport);
  if (nodes.code() == StatusCode::kPermissionDenied) {
    streams.err << "note: there is no right to list nodes, so cards are shown by their UUIDs\n";
  } else if (!nodes.ok()) {
    return nodes;
  }
  return view.ReadGpuPods(transport, namespace_name, question.selector);
}

Status KeepAsked(const Question& question, std::vector<NodeRow>& rows) {
  return KeepNamed(rows, question.name, [](const NodeRow& row) { return row.name; })
             ? Status::Ok()
             : NotThere(question);
}

Status KeepAsked(const Question& question, std::vector<CardRow>& rows) {
  const bool by_uuid = StartsWith(question.name, "GPU-") || StartsWith(question.name, "MIG-");
  if (KeepNamed(rows, question.name,
                [by_uuid](const CardRow& row) { return by_uuid ? row.uuid : row.node; })) {
    return Status::Ok();
  }
  return NotFound("there is no card or node with cards \"" + Printable(question.name) +
                  "\"; get cards lists all");
}

Status KeepAsked(const Question& question, std::vector<PodRow>& rows) {
  return KeepNamed(rows, question.name, [](const PodRow& row) { return row.name; })
             ? Status::Ok()
             : NotThere(question);
}

void KeepNamespace(const std::string& namespace_name, std::vector<PodRow>& rows) {
  rows.erase(std::remove_if(rows.begin(), rows.end(),
                            [&](const PodRow& row) {
                              return !namespace_name.empty() &&
                                     row.namespace_name != namespace_name;
                            }),
             rows.end());
}

std::string NoNodes() { return "no node publishes cards; does aliquot-agent run there?"; }

std::string NoPods(const Question& question, const std::string& namespace_name) {
  return namespace_name.empty() ? "no pod asks for " + question.names.core
                                : "no pod of namespace " + namespace_name + " asks for " +
                                      question.names.core + "; -A looks in all";
}

}  // namespace aliquot::cli
