// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the kubelet says of the containers of a pod. Pure; thread-safe.

#include <nlohmann/json.hpp>
#include <string>

#include "cli/why/evidence.h"

namespace aliquot::cli {

// Of the first container, init containers first, that waits for more than its start or ends again
// and again; an empty code when all is well. `pod` is a v1 Pod; `gpu`: it asks for our resources.
WhyAnswer ContainerTrouble(const nlohmann::json& pod, bool gpu);

// Of the first container that runs again: "container main was restarted once, the last time after
// OOMKilled (exit code 137)"; "" when none does.
std::string PastRestart(const nlohmann::json& pod);

}  // namespace aliquot::cli
