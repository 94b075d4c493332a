// SPDX-License-Identifier: Apache-2.0
#include "cli/why/owned_pods.h"

#include <algorithm>
#include <tuple>

#include "cli/why/container_trouble.h"

namespace aliquot::cli {
namespace {

using nlohmann::json;

bool IsOf(const json& pod, const Owner& owner) {
  for (const json& reference : MemberAt(pod, "/metadata/ownerReferences")) {
    if (owner.Covers(TextAt(reference, "/kind"), TextAt(reference, "/name"))) {
      return true;
    }
  }
  return false;
}

int Badness(const json& pod) {
  const std::string phase = TextAt(pod, "/status/phase");
  if (phase == "Succeeded") {
    return 0;
  }
  if (!MemberAt(pod, "/metadata/deletionTimestamp").is_null()) {
    return 1;  // another takes its place
  }
  if (phase == "Running") {
    return ContainerTrouble(pod, false).code.empty() ? 2 : 3;
  }
  if (phase == "Failed") {
    return 4;
  }
  return TextAt(pod, "/spec/nodeName").empty() ? 6 : 5;
}

}  // namespace

Result<OwnedPods> FindOwnedPods(ApiReader& reader, const std::string& namespace_name,
                                const Owner& owner) {
  OwnedPods found;
  std::tuple<int, std::string, std::string> worst;  // the smallest
  const Status read =
      reader.ForEach(kubeclient::kListPods, namespace_name, "", [&](const json& pod) {
        if (!IsOf(pod, owner)) {
          return;
        }
        const std::string created = TextAt(pod, "/metadata/creationTimestamp");
        std::tuple<int, std::string, std::string> here{-Badness(pod), created,
                                                       TextAt(pod, "/metadata/name")};
        found.newest = std::max(found.newest, created);
        if (found.count++ == 0 || here < worst) {
          worst = std::move(here);
        }
      });
  if (!read.ok()) {
    return read;
  }
  found.worst = std::get<2>(worst);
  return found;
}

}  // namespace aliquot::cli
