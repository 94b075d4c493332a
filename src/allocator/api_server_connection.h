// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "allocator/cluster_connection.h"

namespace aliquot::allocator {

// The API server of the configuration's kubeconfig, or of the pod's service account when there is
// none; rules as for ConnectCluster.
std::unique_ptr<ClusterConnection> ConnectApiServer(const Configuration& configuration,
                                                    const Clock& clock,
                                                    observability::Metrics& metrics,
                                                    observability::Log& log,
                                                    program::Problems& problems);

}  // namespace aliquot::allocator
