// SPDX-License-Identifier: Apache-2.0
#include "cli/cluster_view.h"

#include <chrono>
#include <utility>

#include "allocator/cluster_file.h"
#include "api/list_codec.h"
#include "base/strings.h"
#include "kubeclient/api_path.h"
#include "model/demand.h"
#include "program/problems.h"
#include "scoring/cluster_figures.h"

namespace aliquot::cli {
namespace {

constexpr int kPageLimit = 500;
constexpr std::size_t kMaxPageBytes = std::size_t{64} << 20;
constexpr std::chrono::seconds kPageTimeout{30};

std::string_view RemedyFor(int status) {
  switch (status) {
    case 401:
      return "the kubeconfig's credentials are not accepted";
    case 403:
      return "the kubeconfig's user needs the right to list nodes and pods";
    case 410:
      return "the list changed while it was read; run it again";
    default:
      return "is the server well?";
  }
}

// Callers go on without what they may not read.
StatusCode CodeFor(int status) {
  return status == 403 ? StatusCode::kPermissionDenied : StatusCode::kUnavailable;
}

// Calls `take` with the body of each page; it returns the next page's token, "" at the end.
template <typename Take>
Status ForEachPage(kubeclient::Transport& transport, const Clock& clock,
                   const kubeclient::ApiVerb& verb, const std::string& namespace_name,
                   const std::string& selector, const Take& take) {
  std::string token;
  do {
    kubeclient::ApiRequest request;
    request.verb = verb;
    request.namespace_name = namespace_name;
    request.query = "limit=" + std::to_string(kPageLimit);
    if (!selector.empty()) {
      request.query += "&labelSelector=" + kubeclient::PercentEncode(selector);
    }
    if (!token.empty()) {
      request.query += "&continue=" + kubeclient::PercentEncode(token);
    }
    request.max_reply_bytes = kMaxPageBytes;
    const auto result = transport.Call(request, clock.SteadyNow() + kPageTimeout, nullptr);
    const std::string what = "the list of " + std::string(verb.resource);
    if (result.outcome != kubeclient::CallResult::Outcome::kReply) {
      return Unavailable(what + " could not be read: " + result.message);
    }
    if (result.reply.status != 200) {
      return Status(CodeFor(result.reply.status), what + " was answered with HTTP " +
                                                      std::to_string(result.reply.status) + "; " +
                                                      std::string(RemedyFor(result.reply.status)));
    }
    Result<std::string> next = take(result.reply.body);
    if (!next.ok()) {
      return next.status().WithContext(what);
    }
    token = *std::move(next);
  } while (!token.empty());
  return Status::Ok();
}

}  // namespace

void ClusterView::Take(const model::Pod& pod) {
  if (pod.asks_for_gpu()) {
    static_cast<void>(ledger_.SetPod(pod));
    if (const auto demand = model::DemandOf(pod, names_); demand.ok() && !demand->empty()) {
      mix_.Learn(pod.uid, *demand);
    }
    if (kept_ != nullptr) {
      kept_->push_back(pod);
    }
  } else if (!pod.node_name.empty() && !pod.finished()) {
    host_of_others_[pod.node_name] += pod.host;
  }
}

Status ClusterView::ReadFile(const std::string& file) {
  program::Problems problems;
  const auto state = allocator::LoadClusterFile(file, names_, problems);
  if (!state) {
    return InvalidArgument(Join(problems.lines(), "\n"));
  }
  for (const model::Node& node : state->nodes) {
    ledger_.SetNode(node);
  }
  for (const model::Pod& pod : state->pods) {
    Take(pod);
  }
  return Status::Ok();
}

Status ClusterView::ReadApiServer(kubeclient::Transport& transport) {
  Status status = ReadNodes(transport);
  // With the label and without it (`!=` also selects pods that lack it): a pod that lost its label
  // holds its cards all the same, and the others take processor and memory.
  for (const char* comparison : {"=", "!="}) {
    if (status.ok()) {
      status =
          ReadPods(transport, "",
                   std::string(model::kGpuLabel) + comparison + std::string(model::kGpuLabelValue));
    }
  }
  ledger_.SetOtherRequests(std::move(host_of_others_));
  return status;
}

Status ClusterView::ReadNodes(kubeclient::Transport& transport) {
  return ForEachPage(transport, clock_, kubeclient::kListNodes, "", "",
                     [this](std::string_view body) -> Result<std::string> {
                       const auto page = api::ParseNodeList(body);
                       if (!page.ok()) {
                         return page.status();
                       }
                       for (const model::Node& node : page->items) {
                         ledger_.SetNode(node);
                       }
                       if (on_node_page_) {
                         if (Status taken = on_node_page_(body); !taken.ok()) {
                           return taken;
                         }
                       }
                       return page->continue_token;
                     });
}

Status ClusterView::ReadGpuPods(kubeclient::Transport& transport, const std::string& namespace_name,
                                const std::string& selector) {
  const std::string ours = std::string(model::kGpuLabel) + "=" + std::string(model::kGpuLabelValue);
  return ReadPods(transport, namespace_name, selector.empty() ? ours : ours + "," + selector);
}

Status ClusterView::ReadPods(kubeclient::Transport& transport, const std::string& namespace_name,
                             const std::string& selector) {
  return ForEachPage(transport, clock_, kubeclient::kListPods, namespace_name, selector,
                     [this](std::string_view body) -> Result<std::string> {
                       const auto page = api::ParsePodList(body, names_);
                       if (!page.ok()) {
                         return page.status();
                       }
                       for (const model::Pod& pod : page->items) {
                         Take(pod);
                       }
                       return page->continue_token;
                     });
}

std::shared_ptr<const scoring::Outlook> ClusterView::Outlook() {
  scoring::ClusterFigures figures;
  const auto snapshot = ledger_.Read();
  for (const scoring::NodeState& node : snapshot->Nodes()) {
    scoring::AddNode(node, figures);
  }
  return mix_.Publish(figures);
}

}  // namespace aliquot::cli
