// SPDX-License-Identifier: Apache-2.0
#include <filesystem>

#include "admission/rules/rule.h"
#include "base/strings.h"

namespace aliquot::admission {
namespace {

using nlohmann::json;

// "/a//b/../c/" to "/a/c". Pure: nothing is looked up on this host.
std::string Normal(const std::string& path) {
  std::string normal = std::filesystem::path("/" + path).lexically_normal().string();
  while (normal.size() > 1 && normal.back() == '/') {
    normal.pop_back();
  }
  return normal;
}

// Whether `inner` is `outer` or lies below it.
bool Contains(const std::string& outer, const std::string& inner) {
  return outer == "/" || inner == outer || StartsWith(inner, outer + "/");
}

}  // namespace

std::optional<Refusal> WarnHostPaths(PodReview& review) {
  const json* volumes = Member(review.object, {"spec", "volumes"});
  if (volumes == nullptr) {
    return std::nullopt;
  }
  for (const json& volume : *volumes) {
    const json* path = Member(volume, {"hostPath", "path"});
    if (path == nullptr || !path->is_string()) {
      continue;
    }
    const std::string mounted = Normal(path->get_ref<const std::string&>());
    for (const std::string& guarded : review.options.guarded_host_paths) {
      if (Contains(mounted, guarded) || Contains(guarded, mounted)) {
        review.warnings.push_back("hostPath " + Printable(mounted) + " reaches " + guarded +
                                  ", where the node keeps what holds GPU shares apart");
        break;
      }
    }
  }
  return std::nullopt;
}

}  // namespace aliquot::admission
