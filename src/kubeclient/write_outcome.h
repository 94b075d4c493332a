// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kubeclient/transport.h"
#include "model/cluster.h"

namespace aliquot::kubeclient {

// What a call's fate means for what it was to write; the table is in cluster_writer.h. Pure.
model::WriteReply WriteReplyOf(const CallResult& result);

}  // namespace aliquot::kubeclient
