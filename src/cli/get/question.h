// SPDX-License-Identifier: Apache-2.0
#pragma once

// What `aliquotctl get` and `top` have in common: which nodes, cards or pods are asked about, and
// the reading of the cluster that the answer needs.

#include <string>
#include <vector>

#include "base/status.h"
#include "cli/cluster_connection.h"
#include "cli/cluster_ledger.h"
#include "cli/get/rows.h"
#include "cli/verb.h"
#include "kubeclient/transport.h"
#include "model/names.h"

namespace CLI {
class App;
}

namespace aliquot::cli {

struct Question {
  ClusterFlags cluster;
  model::ResourceNames names;
  std::string what;  // "nodes", "cards" or "pods"
  std::string name;  // "": all
  std::string namespace_name;
  bool all_namespaces = false;
  std::string selector;
  std::string output = "table";

  bool wide() const { return output == "wide"; }
  bool structured() const { return output == "json" || output == "yaml"; }
};

// WHAT, NAME, -n, -A, -l, -o, and the flags that find the cluster. `question` must outlive the
// parser.
void AddQuestionFlags(CLI::App& verb, Question& question);

// Namespace and selector go with what is asked.
Status CheckQuestion(const Question& question);

// The namespace whose pods are meant; "" = all.
std::string PodsNamespace(const Question& question, const std::string& of_context);

// Nodes and all pods; of pods the nodes as far as they may be read, and those of the namespace.
Status ReadCluster(const Question& question, const std::string& namespace_name,
                   kubeclient::Transport& transport, ClusterView& view, Streams& streams);

// Those that are asked for by name; a sentence when there is none of that name.
Status KeepAsked(const Question& question, std::vector<NodeRow>& rows);
Status KeepAsked(const Question& question, std::vector<CardRow>& rows);
Status KeepAsked(const Question& question, std::vector<PodRow>& rows);
// Those of a namespace; "" = all.
void KeepNamespace(const std::string& namespace_name, std::vector<PodRow>& rows);

// A sentence for an answer without any row.
std::string NoNodes();
std::string NoPods(const Question& question, const std::string& namespace_name);

}  // namespace aliquot::cli
