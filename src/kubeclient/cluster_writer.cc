// SPDX-License-Identifier: Apache-2.0
#include "kubeclient/cluster_writer.h"

#include <sstream>
#include <utility>

#include "api/binding_codec.h"
#include "api/event_codec.h"
#include "api/pod_codec.h"
#include "base/strings.h"
#include "kubeclient/pod_patch.h"
#include "kubeclient/write_outcome.h"

namespace aliquot::kubeclient {

namespace {

using model::PodKey;
using model::WriteOutcome;
using model::WriteReply;

constexpr std::string_view kJson = "application/json";
// The API server gives up a bind after this, so that an unknown outcome becomes known in finite
// time.
constexpr std::string_view kBindQuery = "timeout=4s";

ApiRequest RequestFor(const ApiVerb& verb, const PodKey& key, std::string_view content_type,
                      std::string body) {
  ApiRequest request;
  request.verb = verb;
  request.namespace_name = key.namespace_name;
  request.name = key.name;
  request.content_type = std::string(content_type);
  request.body = std::move(body);
  return request;
}

// A name left empty would turn the path of one pod into that of all pods.
bool Complete(const PodKey& key) { return !key.namespace_name.empty() && !key.name.empty(); }

WriteReply Incomplete(const PodKey& key) {
  return {WriteOutcome::kRefused,
          "pod \"" + Printable(key.ToString()) + "\" needs a namespace, a name and a UID"};
}

}  // namespace

ClusterWriter::ClusterWriter(ClusterWriterOptions options, Transport& transport, const Clock& clock,
                             ApiCallObserver* observer)
    : options_(std::move(options)), transport_(transport), clock_(clock), observer_(observer) {}

WriteReply ClusterWriter::Write(const ApiRequest& request, SteadyTime deadline) {
  const SteadyTime started = clock_.SteadyNow();
  WriteReply reply = WriteReplyOf(transport_.Call(request, deadline, nullptr));
  if (observer_ != nullptr) {
    observer_->Called(request.verb, reply.outcome, clock_.SteadyNow() - started);
  }
  return reply;
}

WriteReply ClusterWriter::Bind(const model::BindOrder& order, SteadyTime deadline) {
  if (!Complete(order.key) || order.uid.empty()) return Incomplete(order.key);
  const api::Annotations annotations(order.annotations.begin(), order.annotations.end());
  if (Status status = api::CheckAnnotations(annotations); !status.ok()) {
    return {WriteOutcome::kRefused, status.message()};
  }
  ApiRequest request =
      RequestFor(kBindPod, order.key, kJson,
                 api::FormatBinding(order.key, order.uid, order.node, annotations));
  request.query = std::string(kBindQuery);
  return Write(request, deadline);
}

WriteReply ClusterWriter::PatchPod(const PodKey& key, std::string_view uid,
                                   const std::map<std::string, std::string>& annotations,
                                   const std::map<std::string, std::string>& labels) {
  if (!Complete(key) || uid.empty()) return Incomplete(key);
  return Write(
      RequestFor(kPatchPod, key, kMergePatch, FormatMetadataPatch(uid, annotations, labels)),
      clock_.SteadyNow() + options_.call_timeout);
}

WriteReply ClusterWriter::SetPodCondition(const PodKey& key, std::string_view uid,
                                          const model::PodCondition& condition) {
  if (!Complete(key) || uid.empty()) return Incomplete(key);
  return Write(RequestFor(kPatchPodStatus, key, kStrategicMergePatch,
                          FormatConditionPatch(uid, condition, clock_.SystemNow())),
               clock_.SteadyNow() + options_.call_timeout);
}

WriteReply ClusterWriter::PostEvent(const model::PodEvent& event) {
  if (!Complete(event.key)) return Incomplete(event.key);
  api::Event out;
  out.namespace_name = event.key.namespace_name;
  out.time = clock_.SystemNow();
  // As client-go names them: the object and the time. The serial keeps two of one nanosecond apart;
  // an object name has at most 253 bytes.
  std::ostringstream suffix;
  suffix << '.' << std::hex << UnixNanoseconds(out.time) << '.'
         << event_serial_.fetch_add(1, std::memory_order_relaxed);
  out.name = event.key.name.substr(0, 210) + suffix.str();
  out.reporting_controller = options_.reporting_controller;
  out.reporting_instance = options_.reporting_instance;
  out.action = event.action;
  out.reason = event.reason;
  out.warning = event.warning;
  out.note = event.note;
  out.regarding = {"v1", "Pod", event.key.namespace_name, event.key.name, event.uid};
  const PodKey collection{event.key.namespace_name, ""};
  return Write(RequestFor(kCreateEvent, collection, kJson, api::FormatEvent(out)),
               clock_.SteadyNow() + options_.call_timeout);
}

model::PodLookup ClusterWriter::GetPod(const PodKey& key) {
  using Outcome = model::PodLookup::Outcome;
  model::PodLookup lookup;
  if (!Complete(key)) {
    lookup.message = Incomplete(key).message;
    return lookup;
  }
  const SteadyTime started = clock_.SteadyNow();
  const CallResult result =
      transport_.Call(RequestFor(kGetPod, key, "", ""), started + options_.call_timeout, nullptr);
  const WriteReply reply = WriteReplyOf(result);
  if (observer_ != nullptr) {
    observer_->Called(kGetPod, reply.outcome, clock_.SteadyNow() - started);
  }
  lookup.message = reply.message;
  if (reply.outcome == WriteOutcome::kNotFound) lookup.outcome = Outcome::kNotFound;
  if (!reply.done()) return lookup;
  Result<model::Pod> pod = api::ParsePod(result.reply.body, options_.names);
  if (!pod.ok()) {
    lookup.message = pod.status().message();
    return lookup;
  }
  lookup.outcome = Outcome::kFound;
  lookup.pod = *std::move(pod);
  return lookup;
}

}  // namespace aliquot::kubeclient
