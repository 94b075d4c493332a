// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "base/status.h"
#include "model/pod.h"

namespace aliquot::api {

using Annotations = std::map<std::string, std::string, std::less<>>;

// The body of POST .../pods/{name}/binding. The UID is a precondition on the pod; the API server
// copies the annotations onto the pod in the transaction that sets spec.nodeName.
std::string FormatBinding(const model::PodKey& pod, std::string_view uid, std::string_view node,
                          const Annotations& annotations);

// The API server does not check annotation keys on this path, but refuses every later update of a
// pod that got a bad one. So they are checked here: qualified names by Kubernetes' grammar
// (k8s.io/apimachinery/pkg/util/validation.IsQualifiedName), values up to 256 KiB together.
Status CheckAnnotations(const Annotations& annotations);

}  // namespace aliquot::api
