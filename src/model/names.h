// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace aliquot::model {

// The names of the resources and annotations that users and other programs see, in one place.
// The tencent.com names and units are those of tkestack gpu-manager, whose manifests run unchanged.

// Configurable resource names. Immutable after start.
struct ResourceNames {
  std::string core = "tencent.com/vcuda-core";      // 1 unit = 1 % of one GPU
  std::string memory = "tencent.com/vcuda-memory";  // 1 unit = 256 MiB
  // A pod is ours when a container names any resource that begins with this, so that typing errors
  // are seen.
  std::string prefix = "tencent.com/vcuda-";
};

inline constexpr std::int64_t kWholeCardCore = 100;
inline constexpr std::int64_t kMebibytesPerMemoryUnit = 256;
inline constexpr int kMaxGpuContainersPerPod = 16;

// Ours on the pod and on the Binding.
inline constexpr std::string_view kAllocationAnnotation = "aliquot.io/allocation";
inline constexpr std::string_view kAllocationSignatureAnnotation =
    "aliquot.io/allocation-signature";
inline constexpr std::string_view kGpuIndexAnnotationPrefix = "tencent.com/predicate-gpu-idx-";
inline constexpr std::string_view kPredicateNodeAnnotation = "tencent.com/predicate-node";
inline constexpr std::string_view kPredicateTimeAnnotation = "tencent.com/predicate-time";
inline constexpr std::string_view kGpuAssignedAnnotation = "tencent.com/gpu-assigned";
// Ours on a pending pod, rarely: makes kube-scheduler look at it again (reconcile/requeue.h).
inline constexpr std::string_view kRequeuedAnnotation = "aliquot.io/requeued";
// Ours on the node.
inline constexpr std::string_view kInventoryAnnotation = "aliquot.io/gpu-inventory";
// The labels that our agent wrote on its node, so that it never fights another writer.
inline constexpr std::string_view kGpuLabelsAnnotation = "aliquot.io/gpu-labels";
// Set by the webhook; our watch is scoped by it.
inline constexpr std::string_view kGpuLabel = "aliquot.io/gpu";
inline constexpr std::string_view kGpuLabelValue = "true";

// Asked by users on the pod.
inline constexpr std::string_view kCoreLimitAnnotation = "tencent.com/vcuda-core-limit";
inline constexpr std::string_view kGpuCountAnnotation = "aliquot.io/gpu-count";
inline constexpr std::string_view kGpuModelAnnotation = "aliquot.io/gpu-model";
inline constexpr std::string_view kGpuUuidAnnotation = "aliquot.io/gpu-uuid";
inline constexpr std::string_view kPlacementAnnotation = "aliquot.io/placement";
inline constexpr std::string_view kLinkAnnotation = "aliquot.io/link";
inline constexpr std::string_view kNumaAnnotation = "aliquot.io/numa";
inline constexpr std::string_view kIsolationAnnotation = "aliquot.io/isolation";

// Every annotation of these domains is kept by the codecs; all others are dropped while parsing.
inline constexpr std::string_view kOurDomain = "aliquot.io/";
inline constexpr std::string_view kTencentDomain = "tencent.com/";

}  // namespace aliquot::model
