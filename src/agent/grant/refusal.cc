// SPDX-License-Identifier: Apache-2.0
#include "agent/grant/refusal.h"

namespace aliquot::agent {

std::string_view RefusalName(RefusalReason reason) {
  switch (reason) {
    case RefusalReason::kNoAllocation:
      return "no_allocation";
    case RefusalReason::kWrongNode:
      return "wrong_node";
    case RefusalReason::kWrongPod:
      return "wrong_pod";
    case RefusalReason::kSizeMismatch:
      return "size_mismatch";
    case RefusalReason::kPodDeleting:
      return "pod_deleting";
    case RefusalReason::kCardBusy:
      return "card_busy";
    case RefusalReason::kCardUnhealthy:
      return "card_unhealthy";
    case RefusalReason::kNoDriverDelivery:
      return "no_driver_delivery";
    case RefusalReason::kBadSignature:
      return "bad_signature";
    case RefusalReason::kRecordVersion:
      return "record_version";
    case RefusalReason::kIdsInUse:
      return "ids_in_use";
    case RefusalReason::kNotSynced:
      return "not_synced";
    case RefusalReason::kIsolation:
      return "isolation";
    case RefusalReason::kStorage:
      return "storage";
  }
  return "unknown";
}

}  // namespace aliquot::agent
