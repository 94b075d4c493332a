// SPDX-License-Identifier: Apache-2.0
#include "cli/why/gather.h"

#include "api/allocation_codec.h"
#include "api/pod_codec.h"
#include "base/strings.h"
#include "cli/doctor/api_reader.h"
#include "cli/why/places.h"

namespace aliquot::cli {
namespace {

using nlohmann::json;

void GatherEvents(kubeclient::Transport& transport, const Clock& clock, PodEvidence& evidence,
                  std::vector<std::string>& notes) {
  auto events = ListEvents(transport, clock, evidence.parsed.key.namespace_name,
                           "involvedObject.uid=" + evidence.parsed.uid);
  if (!events.ok()) {
    notes.push_back(events.status().message() + ", so events are not looked at");
    return;
  }
  for (SeenEvent& event : *events) {
    if (event.uid == evidence.parsed.uid) {
      evidence.events.push_back(std::move(event));
    }
  }
}

// "PodName-volume" is how Kubernetes names the claim of an ephemeral volume.
std::string ClaimOf(const PodEvidence& evidence, const json& volume) {
  return MemberAt(volume, "/ephemeral").is_object()
             ? evidence.parsed.key.name + "-" + TextAt(volume, "/name")
             : TextAt(volume, "/persistentVolumeClaim/claimName");
}

void GatherClaims(ApiReader& reader, PodEvidence& evidence, std::vector<std::string>& notes) {
  for (const json& volume : MemberAt(evidence.pod, "/spec/volumes")) {
    const std::string name = ClaimOf(evidence, volume);
    if (name.empty()) {
      continue;
    }
    const auto claim = reader.Get(kubeclient::kGetClaim, evidence.parsed.key.namespace_name, name);
    if (claim.ok()) {
      const std::string phase = TextAt(*claim, "/status/phase");
      if (phase != "Bound") {
        evidence.unbound_claims.push_back(name + " (" + (phase.empty() ? "no phase" : phase) + ")");
      }
    } else if (claim.status().code() == StatusCode::kNotFound) {
      evidence.unbound_claims.push_back(name + " (does not exist)");
    } else {
      notes.push_back(claim.status().message() + ", so claim " + name + " is not looked at");
    }
  }
}

// The name of the claim behind an entry of spec.resourceClaims; "" where a template's is not made.
std::string ResourceClaimOf(const json& pod, const json& entry) {
  if (const std::string named = TextAt(entry, "/resourceClaimName"); !named.empty()) {
    return named;
  }
  for (const json& status : MemberAt(pod, "/status/resourceClaimStatuses")) {
    if (TextAt(status, "/name") == TextAt(entry, "/name")) {
      return TextAt(status, "/resourceClaimName");
    }
  }
  return {};
}

void GatherResourceClaims(ApiReader& reader, PodEvidence& evidence,
                          std::vector<std::string>& notes) {
  for (const json& entry : MemberAt(evidence.pod, "/spec/resourceClaims")) {
    const std::string name = ResourceClaimOf(evidence.pod, entry);
    if (name.empty()) {
      const std::string made_from = TextAt(entry, "/resourceClaimTemplateName");
      evidence.resource_claims.push_back(TextAt(entry, "/name") + " (not made from template " +
                                         made_from + " yet)");
      continue;
    }
    const auto claim =
        reader.Get(kubeclient::kGetResourceClaim, evidence.parsed.key.namespace_name, name);
    if (claim.ok()) {
      if (!MemberAt(*claim, "/metadata/deletionTimestamp").is_null()) {
        evidence.resource_claims.push_back(name + " (is being deleted)");
      }
    } else if (claim.status().code() == StatusCode::kNotFound &&
               claim.status().message().find('"' + name + '"') != std::string::npos) {
      evidence.resource_claims.push_back(name + " (does not exist)");
    } else {
      notes.push_back(claim.status().message() + ", so claim " + name + " is not looked at");
    }
  }
}

void GatherHeld(PodEvidence& evidence) {
  const std::string* record = evidence.parsed.Annotation(model::kAllocationAnnotation);
  const auto allocation = record == nullptr ? Result<model::Allocation>(NotFound("none"))
                                            : api::ParseAllocation(*record);
  if (!allocation.ok()) {
    return;
  }
  for (const model::AllocatedContainer& container : allocation->containers) {
    for (const model::AllocatedCard& card : container.cards) {
      evidence.held.push_back("container " + container.name + " holds " + Printable(card.uuid) +
                              " (" + std::to_string(card.core) + " %, " + std::to_string(card.mib) +
                              " MiB)");
    }
  }
}

}  // namespace

Result<PodEvidence> GatherEvidence(kubeclient::Transport& transport, const Clock& clock,
                                   const model::PodKey& key, const model::ResourceNames& names,
                                   std::vector<std::string>& notes) {
  ApiReader reader(transport, clock);
  auto pod = reader.Get(kubeclient::kGetPod, key.namespace_name, key.name);
  if (!pod.ok()) {
    return pod.status();
  }
  auto parsed = api::ParsePod(pod->dump(-1, ' ', false, json::error_handler_t::replace), names);
  if (!parsed.ok()) {
    return parsed.status();
  }
  PodEvidence evidence;
  evidence.pod = *std::move(pod);
  evidence.parsed = *std::move(parsed);
  evidence.names = names;
  if (evidence.parsed.finished()) {
    return evidence;
  }
  if (!evidence.parsed.node_name.empty()) {
    GatherEvents(transport, clock, evidence, notes);
    GatherHeld(evidence);
    return evidence;
  }
  // Schedulers other than kube-scheduler say what they think in events alone.
  if (MemberAt(evidence.pod, "/status/conditions").empty()) {
    GatherEvents(transport, clock, evidence, notes);
  }
  GatherClaims(reader, evidence, notes);
  GatherResourceClaims(reader, evidence, notes);
  if (evidence.parsed.asks_for_gpu()) {
    if (const Status read = GatherPlaces(transport, clock, evidence); !read.ok()) {
      notes.push_back(read.message() + ", so the nodes' cards are not looked at");
    }
  }
  return evidence;
}

}  // namespace aliquot::cli
