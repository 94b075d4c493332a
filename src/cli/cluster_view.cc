// SPDX-License-Identifier: Apache-2.0
#include "cli/cluster_view.h"

#include <chrono>

#include "allocator/cluster_file.h"
#include "allocator/problems.h"
#include "api/list_codec.h"
#include "base/strings.h"
#include "kubeclient/api_path.h"
#include "kubeclient/curl_transport.h"
#include "kubeclient/kubeconfig.h"
#include "observability/build_info.h"

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

// Calls `take` with the body of each page; it returns the next page's token, "" at the end.
template <typename Take>
Status ForEachPage(kubeclient::Transport& transport, const Clock& clock,
                   const kubeclient::ApiVerb& verb, const std::string& selector, const Take& take) {
  std::string token;
  do {
    kubeclient::ApiRequest request;
    request.verb = verb;
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
      return Unavailable(what + " was answered with HTTP " + std::to_string(result.reply.status) +
                         "; " + std::string(RemedyFor(result.reply.status)));
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

Status ReadClusterFile(const std::string& file, const model::ResourceNames& names,
                       ledger::Ledger& ledger) {
  allocator::Problems problems;
  const auto state = allocator::LoadClusterFile(file, names, problems);
  if (!state) {
    return InvalidArgument(Join(problems.lines(), "\n"));
  }
  for (const model::Node& node : state->nodes) {
    ledger.SetNode(node);
  }
  for (const model::Pod& pod : state->pods) {
    static_cast<void>(ledger.SetPod(pod));
  }
  return Status::Ok();
}

Status ReadApiServer(kubeclient::Transport& transport, const Clock& clock,
                     const model::ResourceNames& names, ledger::Ledger& ledger) {
  Status status = ForEachPage(transport, clock, kubeclient::kListNodes, "",
                              [&ledger](std::string_view body) -> Result<std::string> {
                                const auto page = api::ParseNodeList(body);
                                if (!page.ok()) {
                                  return page.status();
                                }
                                for (const model::Node& node : page->items) {
                                  ledger.SetNode(node);
                                }
                                return page->continue_token;
                              });
  if (!status.ok()) {
    return status;
  }
  const std::string selector =
      std::string(model::kGpuLabel) + "=" + std::string(model::kGpuLabelValue);
  return ForEachPage(transport, clock, kubeclient::kListPods, selector,
                     [&](std::string_view body) -> Result<std::string> {
                       const auto page = api::ParsePodList(body, names);
                       if (!page.ok()) {
                         return page.status();
                       }
                       for (const model::Pod& pod : page->items) {
                         static_cast<void>(ledger.SetPod(pod));
                       }
                       return page->continue_token;
                     });
}

Status ReadKubeconfigCluster(const std::string& kubeconfig, const std::string& context,
                             const Clock& clock, const model::ResourceNames& names,
                             ledger::Ledger& ledger) {
  const auto config = kubeclient::LoadKubeconfig(kubeconfig, context);
  if (!config.ok()) {
    return config.status();
  }
  kubeclient::TransportOptions options;
  options.user_agent = "aliquotctl/" + std::string(observability::Version());
  const auto transport = kubeclient::CurlTransport::Create(*config, clock, options);
  if (!transport.ok()) {
    return transport.status();
  }
  return ReadApiServer(**transport, clock, names, ledger);
}

}  // namespace aliquot::cli
