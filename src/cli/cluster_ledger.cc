// SPDX-License-Identifier: Apache-2.0
#include "cli/cluster_ledger.h"

namespace aliquot::cli {

ClusterLedger::ClusterLedger(const model::ResourceNames& names, const Clock& clock,
                             const scoring::Policy& policy)
    : placer_(scoring::PlacerOptions(), policy),
      ledger_(placer_, catalog_, names, clock),
      view_(ledger_, names, clock) {
  view_.KeepGpuPods(&gpu_pods_);
}

}  // namespace aliquot::cli
