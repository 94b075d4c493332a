// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "agent/identity/node_pod.h"
#include "api/list_codec.h"
#include "api/watch_codec.h"
#include "base/status.h"
#include "model/names.h"

namespace aliquot::agent {

// Reads pods with the states of their containers. Pure and thread-safe; rules as in
// api/pod_codec.h. Source of the status fields:
// kubernetes.io/docs/reference/kubernetes-api/workload-resources/pod-v1, PodStatus.
Result<NodePod> ParseNodePod(std::string_view json, const model::ResourceNames& names);
Result<api::ListPage<NodePod>> ParseNodePodList(std::string_view json,
                                                const model::ResourceNames& names);
Result<api::WatchEvent<NodePod>> ParseNodePodWatchEvent(std::string_view json,
                                                        const model::ResourceNames& names);

}  // namespace aliquot::agent
