// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "kubeclient/transport.h"
#include "model/cluster.h"
#include "model/names.h"

namespace aliquot::kubeclient {

// For metrics and logs. Must be thread-safe.
class ApiCallObserver {
 public:
  virtual ~ApiCallObserver() = default;
  virtual void Called(const ApiVerb& verb, model::WriteOutcome outcome,
                      std::chrono::nanoseconds took) = 0;
};

struct ClusterWriterOptions {
  model::ResourceNames names;
  std::string reporting_controller = "aliquot.io/allocator";  // of events
  std::string reporting_instance;                             // the pod's or host's name
  std::chrono::milliseconds call_timeout{5000};  // of all but Bind, whose caller gives a deadline
};

// Writes to the API server. One try each; what is not known to have failed is kUnknown:
//   201, 200 -> kDone                 404, or a UID that is another's -> kNotFound
//   409 -> kConflict                  other 4xx, among them 429 -> kRefused: the server did nothing
//   nothing sent -> kRefused          5xx, a time-out, a cut connection -> kUnknown
// Thread-safe, blocking.
class ClusterWriter final : public model::ClusterWriter {
 public:
  // The observer may be nullptr. All must outlive it.
  ClusterWriter(ClusterWriterOptions options, Transport& transport, const Clock& clock,
                ApiCallObserver* observer);

  model::WriteReply Bind(const model::BindOrder& order, SteadyTime deadline) override;
  model::WriteReply PatchPod(const model::PodKey& key, std::string_view uid,
                             const std::map<std::string, std::string>& annotations,
                             const std::map<std::string, std::string>& labels) override;
  model::WriteReply SetPodCondition(const model::PodKey& key, std::string_view uid,
                                    const model::PodCondition& condition) override;
  model::WriteReply PostEvent(const model::PodEvent& event) override;
  model::PodLookup GetPod(const model::PodKey& key) override;

 private:
  model::WriteReply Write(const ApiRequest& request, SteadyTime deadline);

  const ClusterWriterOptions options_;
  Transport& transport_;
  const Clock& clock_;
  ApiCallObserver* const observer_;
  std::atomic<std::uint32_t> event_serial_{0};
};

}  // namespace aliquot::kubeclient
