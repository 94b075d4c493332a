// SPDX-License-Identifier: Apache-2.0
#include "agent/verify_desk.h"

#include <atomic>
#include <memory>
#include <optional>
#include <utility>

#include "agent/verify/verify_rows.h"
#include "api/allocation_codec.h"
#include "api/kubernetes_name.h"
#include "base/strings.h"
#include "model/names.h"

namespace aliquot::agent {
namespace {

std::optional<model::PodKey> ParsePodKey(std::string_view text) {
  const auto parts = Split(text, '/');
  if (parts.size() != 2 || !api::IsDnsLabel(parts[0]) || !api::IsDnsSubdomain(parts[1])) {
    return std::nullopt;
  }
  return model::PodKey{std::string(parts[0]), std::string(parts[1])};
}

}  // namespace

VerifyInputs VerifyDesk::Inputs(model::PodKey pod, std::string container) const {
  VerifyInputs inputs;
  inputs.node = parts_.node;
  inputs.pod = std::move(pod);
  inputs.container = std::move(container);
  inputs.grants = *parts_.live.Snapshot();
  inputs.machine = parts_.machine();
  inputs.context_bytes = parts_.context_bytes;
  const PodsSnapshot pods = parts_.pods.Snapshot();
  for (const auto& each : *pods.pods) {
    if (!(each->pod.key == inputs.pod)) {
      continue;
    }
    for (const ContainerStatus& status : each->statuses) {
      const std::string id = status.container_id.substr(status.container_id.rfind('/') + 1);
      if (!id.empty()) {  // not yet made
        inputs.containers[id] = {each->pod.uid, status.name};
      }
    }
    const std::string* record = each->pod.Annotation(model::kAllocationAnnotation);
    inputs.allocations.emplace(
        each->pod.uid, record != nullptr ? api::ParseAllocation(*record)
                                         : Result<model::Allocation>(NotFound("the pod has none")));
  }
  return inputs;
}

http::Response VerifyDesk::Answer(const http::Request& request) {
  const auto pod = ParsePodKey(request.Parameter("pod").value_or(""));
  if (!pod) {
    return http::TextResponse(400, "say which pod: /verify?pod=NAMESPACE/NAME");
  }
  const std::string container(request.Parameter("container").value_or(""));
  if (!container.empty() && !api::IsDnsLabel(container)) {
    return http::TextResponse(400, "container is \"" + Printable(container) +
                                       "\"; give the name of a container of the pod");
  }
  if (looking_.exchange(true)) {
    return http::TextResponse(503, "another look is still under way; try again in some seconds");
  }
  const auto end = [](std::atomic<bool>* looking) { looking->store(false); };
  const std::unique_ptr<std::atomic<bool>, decltype(end)> at_end(&looking_, end);
  const auto facts = LookAtPod(Inputs(*pod, container), reader_, parts_.layout, parts_.backend);
  if (!facts.ok()) {
    return http::TextResponse(404, facts.status().message());
  }
  return http::JsonResponse(VerifyPage(*facts, JudgePod(*facts)));
}

}  // namespace aliquot::agent
