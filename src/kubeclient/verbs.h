// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string_view>

// Everything this client may ask of the API server, in one table. A request can only be built from
// one of these entries, so the table is the exact RBAC need; a test compares it with the chart's
// Roles. Names as in kubernetes.io/docs/reference/access-authn-authz/authorization, "Determine the
// request verb".

namespace aliquot::kubeclient {

struct ApiVerb {
  std::string_view group;  // "" is the core group
  std::string_view resource;
  std::string_view subresource;  // "" is the resource itself
  std::string_view verb;         // get, list, watch, create, patch

  friend constexpr bool operator==(const ApiVerb& a, const ApiVerb& b) {
    return a.group == b.group && a.resource == b.resource && a.subresource == b.subresource &&
           a.verb == b.verb;
  }
};

inline constexpr ApiVerb kListNodes{"", "nodes", "", "list"};
inline constexpr ApiVerb kWatchNodes{"", "nodes", "", "watch"};
inline constexpr ApiVerb kListPods{"", "pods", "", "list"};
inline constexpr ApiVerb kWatchPods{"", "pods", "", "watch"};
inline constexpr ApiVerb kGetPod{"", "pods", "", "get"};
inline constexpr ApiVerb kPatchPod{"", "pods", "", "patch"};
inline constexpr ApiVerb kPatchPodStatus{"", "pods", "status", "patch"};
inline constexpr ApiVerb kBindPod{"", "pods", "binding", "create"};
inline constexpr ApiVerb kCreateEvent{"events.k8s.io", "events", "", "create"};

inline constexpr ApiVerb kListBudgets{"policy", "poddisruptionbudgets", "", "list"};
inline constexpr ApiVerb kWatchBudgets{"policy", "poddisruptionbudgets", "", "watch"};

inline constexpr std::array kApiVerbs{kListNodes,   kWatchNodes,  kListPods,       kWatchPods,
                                      kGetPod,      kPatchPod,    kPatchPodStatus, kBindPod,
                                      kCreateEvent, kListBudgets, kWatchBudgets};

}  // namespace aliquot::kubeclient
