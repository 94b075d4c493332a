// SPDX-License-Identifier: Apache-2.0
#pragma once

// The state of a cluster, read once, as the allocator would know it. Writes nothing. Not
// thread-safe.

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/status.h"
#include "base/string_map.h"
#include "kubeclient/transport.h"
#include "ledger/ledger.h"
#include "model/names.h"
#include "scoring/mix_learner.h"
#include "scoring/outlook.h"

namespace aliquot::cli {

class ClusterView {
 public:
  // Everything referred to must outlive it.
  ClusterView(ledger::Ledger& ledger, const model::ResourceNames& names, const Clock& clock)
      : ledger_(ledger), names_(names), clock_(clock) {}

  // A cluster file (docs/reference/cluster-file.md). The error holds every problem, a line each.
  Status ReadFile(const std::string& file);
  // Lists nodes and pods, page by page: needs the right to list both and nothing else.
  Status ReadApiServer(kubeclient::Transport& transport);
  // The nodes alone, and the pods with our label of one namespace ("" = all) that a selector of
  // labels takes ("" = all).
  Status ReadNodes(kubeclient::Transport& transport);
  Status ReadGpuPods(kubeclient::Transport& transport, const std::string& namespace_name,
                     const std::string& selector);
  // Every pod that asks for our resources is put there, too. It must outlive the reading.
  void KeepGpuPods(std::vector<model::Pod>* pods) { kept_ = pods; }
  // Each page of nodes that the API server sends, as it is, for what the ledger has no use for. An
  // error ends the reading.
  void OnNodePage(std::function<Status(std::string_view page)> take) {
    on_node_page_ = std::move(take);
  }

  // The mix of pods to expect, learned from those that are there.
  std::shared_ptr<const scoring::Outlook> Outlook();

 private:
  void Take(const model::Pod& pod);
  Status ReadPods(kubeclient::Transport& transport, const std::string& namespace_name,
                  const std::string& selector);

  ledger::Ledger& ledger_;
  const model::ResourceNames& names_;
  const Clock& clock_;
  scoring::MixLearner mix_;
  std::vector<model::Pod>* kept_ = nullptr;
  std::function<Status(std::string_view)> on_node_page_;
  StringMap<model::HostAmount> host_of_others_;  // by node: of pods that hold no cards
};

}  // namespace aliquot::cli
