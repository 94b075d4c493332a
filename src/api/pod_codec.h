// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "base/status.h"
#include "model/names.h"
#include "model/pod.h"

namespace simdjson::dom {
class element;
}

namespace aliquot::api {

// Reads what Aliquot needs of a v1 Pod
// (kubernetes.io/docs/reference/kubernetes-api/workload-resources/pod-v1). Pure and thread-safe.
// Unknown fields are ignored, null counts as absent, of a repeated key the last one holds. A known
// field of another type is refused with one sentence that names its path.
//
// Of the spec: containers and init containers that name a resource beginning with names.prefix,
// with limits and requests merged (limits win); an init container with restartPolicy Always is a
// sidecar; what all containers request of `cpu` and `memory` (model::Pod::host). Ephemeral
// containers hold no resources and are not looked at. Annotations outside our
// two domains are dropped.
Result<model::Pod> ParsePod(std::string_view json, const model::ResourceNames& names);

// The same from a value of a document that is already parsed, so that nothing is parsed twice.
Result<model::Pod> DecodePod(const simdjson::dom::element& value,
                             const model::ResourceNames& names);

}  // namespace aliquot::api
