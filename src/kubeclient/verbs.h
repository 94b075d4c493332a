// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string_view>

// Everything this client may ask of the API server, one table a program. A request can only be
// built from one of these entries, so a program's table is its exact RBAC need; a test compares it
// with the chart's Roles. Names as in
// kubernetes.io/docs/reference/access-authn-authz/authorization, "Determine the request verb".

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
inline constexpr ApiVerb kGetNode{"", "nodes", "", "get"};
inline constexpr ApiVerb kPatchNode{"", "nodes", "", "patch"};
inline constexpr ApiVerb kListPods{"", "pods", "", "list"};
inline constexpr ApiVerb kWatchPods{"", "pods", "", "watch"};
inline constexpr ApiVerb kGetPod{"", "pods", "", "get"};
inline constexpr ApiVerb kPatchPod{"", "pods", "", "patch"};
inline constexpr ApiVerb kPatchPodStatus{"", "pods", "status", "patch"};
inline constexpr ApiVerb kBindPod{"", "pods", "binding", "create"};
inline constexpr ApiVerb kCreateEvent{"events.k8s.io", "events", "", "create"};

inline constexpr ApiVerb kListBudgets{"policy", "poddisruptionbudgets", "", "list"};
inline constexpr ApiVerb kWatchBudgets{"policy", "poddisruptionbudgets", "", "watch"};

// Who is the bearer of this token, and may he do that?
inline constexpr ApiVerb kReviewToken{"authentication.k8s.io", "tokenreviews", "", "create"};
inline constexpr ApiVerb kReviewAccess{"authorization.k8s.io", "subjectaccessreviews", "",
                                       "create"};

// The allocator's certificates and keys, each object by its name (src/certificates).
inline constexpr ApiVerb kGetSecret{"", "secrets", "", "get"};
inline constexpr ApiVerb kPatchSecret{"", "secrets", "", "patch"};
inline constexpr ApiVerb kGetConfigMap{"", "configmaps", "", "get"};
inline constexpr ApiVerb kPatchConfigMap{"", "configmaps", "", "patch"};
inline constexpr ApiVerb kGetWebhooks{"admissionregistration.k8s.io",
                                      "mutatingwebhookconfigurations", "", "get"};
inline constexpr ApiVerb kPatchWebhooks{"admissionregistration.k8s.io",
                                        "mutatingwebhookconfigurations", "", "patch"};

inline constexpr ApiVerb kRequestToken{"", "serviceaccounts", "token", "create"};
inline constexpr ApiVerb kProxyPod{"", "pods", "proxy", "get"};

// What `aliquotctl doctor` and `scheduler-config` look at besides.
inline constexpr ApiVerb kGetService{"", "services", "", "get"};
inline constexpr ApiVerb kGetDeployment{"apps", "deployments", "", "get"};
inline constexpr ApiVerb kListDaemonSets{"apps", "daemonsets", "", "list"};
inline constexpr ApiVerb kGetLease{"coordination.k8s.io", "leases", "", "get"};
inline constexpr ApiVerb kListEvents{"", "events", "", "list"};
inline constexpr ApiVerb kListWebhooks{"admissionregistration.k8s.io",
                                       "mutatingwebhookconfigurations", "", "list"};
inline constexpr ApiVerb kListPolicies{"admissionregistration.k8s.io",
                                       "validatingadmissionpolicies", "", "list"};
inline constexpr ApiVerb kListPolicyBindings{"admissionregistration.k8s.io",
                                             "validatingadmissionpolicybindings", "", "list"};
inline constexpr ApiVerb kListRuntimeClasses{"node.k8s.io", "runtimeclasses", "", "list"};
inline constexpr ApiVerb kListNamespaces{"", "namespaces", "", "list"};
inline constexpr ApiVerb kGetClaim{"", "persistentvolumeclaims", "", "get"};
inline constexpr ApiVerb kGetResourceClaim{"resource.k8s.io", "resourceclaims", "", "get"};
inline constexpr ApiVerb kCreatePod{"", "pods", "", "create"};  // with dryRun=All only

inline constexpr std::array kAllocatorVerbs{
    kListNodes, kWatchNodes,     kListPods,    kWatchPods,   kGetPod,      kPatchPod,
    kBindPod,   kPatchPodStatus, kCreateEvent, kListBudgets, kWatchBudgets};

// The same program, for what it keeps in its own namespace and the caBundle of its webhooks.
inline constexpr std::array kCertificateVerbs{kGetSecret,      kPatchSecret, kGetConfigMap,
                                              kPatchConfigMap, kGetWebhooks, kPatchWebhooks};

// The same program, where its pages are served to others than this pod (listen.authenticated).
inline constexpr std::array kAllocatorPageVerbs{kReviewToken, kReviewAccess};

// The node agent: it reads the pods of its node and writes its own Node, nothing of a pod.
inline constexpr std::array kAgentVerbs{kListNodes,   kWatchNodes,  kGetNode,
                                        kPatchNode,   kListPods,    kWatchPods,
                                        kCreateEvent, kReviewToken, kReviewAccess};

// A person with aliquotctl. verify and top read pods and the agents' pods, and ask the agents
// through the API server with a token of the reader's service account; simulate --pod lists.
inline constexpr std::array kCommandLineVerbs{kListNodes, kListPods, kGetPod, kRequestToken,
                                              kProxyPod};

// aliquotctl why, for the causes that are not on the pod. Where one of them is missing it says so
// and goes on.
inline constexpr std::array kWhyVerbs{kGetPod,     kListNodes, kListPods,
                                      kListEvents, kGetClaim,  kGetResourceClaim};

// What a shell's completion asks for names. Where one of them is missing it offers none.
inline constexpr std::array kCompletionVerbs{kListNamespaces, kListNodes, kListPods};

// aliquotctl doctor. Where one of them is missing it says that it could not look. Services,
// Deployments, the Lease, Events, the Secret and the ConfigMap are those of our namespace; the
// Secret is aliquot-scheduler-client alone.
inline constexpr std::array kDoctorVerbs{
    kGetService, kGetDeployment, kListDaemonSets,    kGetLease,     kListEvents,
    kGetSecret,  kGetConfigMap,  kListWebhooks,      kListPolicies, kListPolicyBindings,
    kListNodes,  kListPods,      kListRuntimeClasses};
// The same, where a GPU pod is tried in a namespace (--try-in).
inline constexpr std::array kDoctorTryVerbs{kCreatePod};

// aliquotctl scheduler-config, outside a pod: one Service and one Secret of our namespace.
inline constexpr std::array kSchedulerConfigVerbs{kGetService, kGetSecret};

}  // namespace aliquot::kubeclient
