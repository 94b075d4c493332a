// SPDX-License-Identifier: Apache-2.0
#include "kubeclient/unlabelled_scan.h"

#include <utility>

#include "api/list_codec.h"
#include "kubeclient/api_path.h"

namespace aliquot::kubeclient {

namespace {

constexpr std::string_view kName = "unlabelled pods";

}  // namespace

UnlabelledScan::UnlabelledScan(const ListWatchOptions& options, std::chrono::seconds period,
                               model::ResourceNames names, Transport& transport, PodGate& gate,
                               model::ClusterObserver& cluster, ListWatchObserver& observer,
                               const Clock& clock, UniformSource uniform)
    : page_limit_(options.page_limit),
      max_page_bytes_(options.max_page_bytes),
      page_timeout_(options.page_timeout),
      period_(period),
      names_(std::move(names)),
      transport_(transport),
      gate_(gate),
      cluster_(cluster),
      observer_(observer),
      clock_(clock),
      uniform_(std::move(uniform)) {}

UnlabelledScan::~UnlabelledScan() { Stop(); }

void UnlabelledScan::Start() {
  thread_ = std::thread([this] { Run(); });
}

void UnlabelledScan::Stop() {
  cancellation_.Cancel();
  if (thread_.joinable()) thread_.join();
}

void UnlabelledScan::Run() {
  while (!cancellation_.cancelled()) {
    const Status status = ScanOnce();
    if (cancellation_.cancelled()) return;
    if (!status.ok()) observer_.Failed(kName, status);
    // From 90 % to 110 % of the period, so that the scans of several replicas drift apart.
    const auto wait = std::chrono::duration<double>(period_) * (0.9 + 0.2 * uniform_());
    const auto until = std::chrono::steady_clock::now() +
                       std::chrono::duration_cast<std::chrono::nanoseconds>(wait);
    if (cancellation_.WaitUntil(until)) return;
  }
}

Status UnlabelledScan::ScanOnce() {
  const SteadyTime started = clock_.SteadyNow();
  std::size_t objects = 0;
  std::string continue_token;
  StringMap<model::HostAmount> requests;
  do {
    Result<std::string> next = ScanPage(continue_token, objects, requests);
    if (!next.ok()) return next.status();
    continue_token = *std::move(next);
  } while (!continue_token.empty() && !cancellation_.cancelled());
  if (continue_token.empty()) {
    cluster_.OtherRequestsListed(requests);
  }
  observer_.Listed(kName, objects, clock_.SteadyNow() - started);
  return Status::Ok();
}

Result<std::string> UnlabelledScan::ScanPage(const std::string& continue_token,
                                             std::size_t& objects,
                                             StringMap<model::HostAmount>& requests) {
  ApiRequest request;
  request.verb = kListPods;
  // `!=` also selects the pods that lack the label.
  request.query =
      "limit=" + std::to_string(page_limit_) + "&labelSelector=" +
      PercentEncode(std::string(model::kGpuLabel) + "!=" + std::string(model::kGpuLabelValue));
  if (!continue_token.empty()) request.query += "&continue=" + PercentEncode(continue_token);
  request.max_reply_bytes = max_page_bytes_;
  const CallResult result =
      transport_.Call(request, clock_.SteadyNow() + page_timeout_, &cancellation_);
  if (result.outcome != CallResult::Outcome::kReply) return Unavailable(result.message);
  if (result.reply.status != 200) {
    return Unavailable("the list was answered with HTTP " + std::to_string(result.reply.status));
  }
  Result<api::ListPage<model::Pod>> page = api::ParsePodList(result.reply.body, names_);
  if (!page.ok()) return page.status();
  objects += page->items.size();
  for (const model::Pod& pod : page->items) {
    if (pod.asks_for_gpu()) {
      gate_.Seen(pod);
    } else if (!pod.node_name.empty() && !pod.finished()) {
      requests[pod.node_name] += pod.host;
    }
  }
  return std::move(page->continue_token);
}

}  // namespace aliquot::kubeclient
