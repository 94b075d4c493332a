// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"
#include "model/pod.h"

namespace aliquot::api {

// The extender's bind verb. Source: k8s.io/kube-scheduler/extender/v1 ExtenderBindingArgs and
// ExtenderBindingResult; keys in any letter case, as in extender_args.h.
struct BindArgs {
  model::PodKey pod;
  std::string uid;
  std::string node;
};

// Thread-safe. All four fields are required and must be valid Kubernetes names, since they become
// part of a request path.
Result<BindArgs> ParseBindArgs(std::string_view body);

// Appends the reply to `out`; an empty `error` means bound.
void WriteBindResult(std::string& out, std::string_view error);

}  // namespace aliquot::api
