// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>
#include <thread>

#include "base/clock.h"
#include "base/status.h"
#include "base/string_map.h"
#include "kubeclient/backoff.h"
#include "kubeclient/cancellation.h"
#include "kubeclient/list_watch.h"
#include "kubeclient/object_sinks.h"
#include "kubeclient/transport.h"
#include "model/cluster.h"
#include "model/host.h"
#include "model/names.h"

namespace aliquot::kubeclient {

// Looks from time to time through every pod that does not carry our label, page by page. Reports
// those that ask for our resources: created while the webhook was away, or somebody took the label
// off. Of the others it keeps what they request of processor and memory, as one sum a node. Own
// thread.
class UnlabelledScan {
 public:
  // Page sizes and time-outs are taken from `options`. All references must outlive it.
  UnlabelledScan(const ListWatchOptions& options, std::chrono::seconds period,
                 model::ResourceNames names, Transport& transport, PodGate& gate,
                 model::ClusterObserver& cluster, ListWatchObserver& observer, const Clock& clock,
                 UniformSource uniform);
  ~UnlabelledScan();
  UnlabelledScan(const UnlabelledScan&) = delete;
  UnlabelledScan& operator=(const UnlabelledScan&) = delete;

  void Start();
  void Stop();

 private:
  void Run();
  Status ScanOnce();
  // The next page's token.
  Result<std::string> ScanPage(const std::string& continue_token, std::size_t& objects,
                               StringMap<model::HostAmount>& requests);

  const int page_limit_;
  const std::size_t max_page_bytes_;
  const std::chrono::milliseconds page_timeout_;
  const std::chrono::seconds period_;
  const model::ResourceNames names_;
  Transport& transport_;
  PodGate& gate_;
  model::ClusterObserver& cluster_;
  ListWatchObserver& observer_;
  const Clock& clock_;
  UniformSource uniform_;
  Cancellation cancellation_;
  std::thread thread_;
};

}  // namespace aliquot::kubeclient
