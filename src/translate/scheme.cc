// SPDX-License-Identifier: Apache-2.0
#include "translate/scheme.h"

#include <string>

#include "admission/pod_review.h"
#include "base/strings.h"
#include "translate/schemes.h"

namespace aliquot::translate {
namespace {

using admission::Member;
using nlohmann::json;

struct Signs {
  bool hami = false;
  bool nvidia = false;
  bool kai = false;
};

void ReadResources(const json& container, Signs& signs) {
  for (const char* kind : {"limits", "requests"}) {
    const json* amounts = Member(container, {"resources", kind});
    if (amounts == nullptr || !amounts->is_object()) {
      continue;
    }
    for (const auto& [key, value] : amounts->items()) {
      const std::string& name = key;
      signs.hami =
          signs.hami || StartsWith(name, "nvidia.com/gpumem") || name == "nvidia.com/gpucores";
      signs.nvidia = signs.nvidia || name == "nvidia.com/gpu" || name == "nvidia.com/gpu.shared" ||
                     StartsWith(name, "nvidia.com/mig-");
    }
  }
}

bool HasHamiAnnotation(const json& pod) {
  const json* annotations = Member(pod, {"metadata", "annotations"});
  if (annotations == nullptr) {
    return false;
  }
  for (const auto& [key, value] : annotations->items()) {
    const std::string& name = key;
    if (StartsWith(name, "hami.io/") || StartsWith(name, "nvidia.com/use-gpu") ||
        StartsWith(name, "nvidia.com/nouse-gpu") || name == "nvidia.com/vgpu-mode" ||
        name == "nvidia.com/numa-bind") {
      return true;
    }
  }
  return false;
}

bool NamesScheduler(const json& pod, std::string_view name) {
  const json* scheduler = Member(pod, {"spec", "schedulerName"});
  return scheduler != nullptr && *scheduler == name;
}

bool Has(const json& pod, const char* map, const char* key) {
  return Member(pod, {"metadata", map, key}) != nullptr;
}

}  // namespace

std::string_view SchemeName(Scheme scheme) {
  switch (scheme) {
    case Scheme::kHami:
      return "hami";
    case Scheme::kNvidia:
      return "nvidia";
    case Scheme::kKai:
      break;
  }
  return "kai";
}

std::optional<Scheme> SchemeNamed(std::string_view name) {
  for (const Scheme scheme : {Scheme::kHami, Scheme::kNvidia, Scheme::kKai}) {
    if (name == SchemeName(scheme)) {
      return scheme;
    }
  }
  return std::nullopt;
}

Result<std::optional<Scheme>> SchemeOf(const json& pod) {
  Signs signs;
  for (const admission::ContainerList& list : admission::ContainerLists(pod)) {
    for (const json& container : *list.containers) {
      ReadResources(container, signs);
    }
  }
  const bool gpu = signs.hami || signs.nvidia;
  // Without a GPU these alone ask for nothing.
  signs.hami =
      signs.hami || (gpu && (HasHamiAnnotation(pod) || NamesScheduler(pod, kHamiScheduler)));
  signs.kai =
      Has(pod, "annotations", "gpu-fraction") || Has(pod, "annotations", "gpu-memory") ||
      (gpu && (NamesScheduler(pod, kKaiScheduler) || Has(pod, "labels", "kai.scheduler/queue")));
  if (signs.hami && signs.kai) {
    return InvalidArgument(
        "the pod asks for a GPU in HAMi's way and in KAI's at once; say which one is meant");
  }
  std::optional<Scheme> scheme;
  if (signs.hami || signs.kai || signs.nvidia) {
    scheme = signs.hami ? Scheme::kHami : signs.kai ? Scheme::kKai : Scheme::kNvidia;
  }
  return scheme;
}

}  // namespace aliquot::translate
