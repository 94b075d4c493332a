// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "model/pod.h"

namespace aliquot::agent {

// Why a container is not started. The container waits; the kubelet asks again and it starts by
// itself once the reason is gone. Names are part of events and metrics: docs/reference/grant.md.
enum class RefusalReason {
  kNoAllocation,      // no record, or the record does not name this container
  kWrongNode,         // the record is for another node
  kWrongPod,          // the record is another pod's, or no pod of this node matches
  kSizeMismatch,      // record, spec and device IDs do not agree
  kPodDeleting,       // the pod is being deleted
  kCardBusy,          // live grants on the card leave too little
  kCardUnhealthy,     // the card is gone, unhealthy, or not ours
  kNoDriverDelivery,  // no driver libraries to hand over
  kBadSignature,      // keys are configured, and the record is not signed by any of them
  kRecordVersion,     // the record is of a version or form that this agent does not know
  kIdsInUse,          // another live pod holds these device IDs
  kNotSynced,         // the pods of this node are not known yet
  kIsolation,         // the isolation that the pod asks for can't be had on this node
  kStorage,           // the grant could not be written
};

inline constexpr std::array kAllRefusalReasons{
    RefusalReason::kNoAllocation,  RefusalReason::kWrongNode,        RefusalReason::kWrongPod,
    RefusalReason::kSizeMismatch,  RefusalReason::kPodDeleting,      RefusalReason::kCardBusy,
    RefusalReason::kCardUnhealthy, RefusalReason::kNoDriverDelivery, RefusalReason::kBadSignature,
    RefusalReason::kRecordVersion, RefusalReason::kIdsInUse,         RefusalReason::kNotSynced,
    RefusalReason::kIsolation,     RefusalReason::kStorage};

// "no_allocation", "wrong_node", ...
std::string_view RefusalName(RefusalReason reason);

struct Refusal {
  // A pod that is to be told.
  struct Pod {
    model::PodKey key;
    std::string uid;
  };

  RefusalReason reason = RefusalReason::kNoAllocation;
  // One sentence that names field, value and remedy. The same for the same state, so that repeats
  // are one event.
  std::string sentence;
  // Where the container is not known, but whom it is about.
  std::vector<Pod> about{};
};

// A value, or why there is none.
template <typename T>
class [[nodiscard]] Granted {
 public:
  Granted(T value) : state_(std::move(value)) {}  // NOLINT: conversions read well at returns
  Granted(Refusal refusal) : state_(std::move(refusal)) {}  // NOLINT

  bool ok() const { return std::holds_alternative<T>(state_); }
  // Pre: ok().
  const T& operator*() const& { return std::get<T>(state_); }
  T&& operator*() && { return std::get<T>(std::move(state_)); }
  const T* operator->() const { return &std::get<T>(state_); }
  // Pre: !ok().
  const Refusal& refusal() const { return std::get<Refusal>(state_); }

 private:
  std::variant<T, Refusal> state_;
};

}  // namespace aliquot::agent
