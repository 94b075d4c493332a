// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cli/doctor/api_reader.h"
#include "cli/doctor/observation.h"

namespace aliquot::cli {

struct ObserveOptions {
  std::string namespace_name = "aliquot-system";
  // Where a GPU pod is tried (a dry run: nothing is made); "": nowhere.
  std::string try_in = "default";
  model::ResourceNames names;
};

// Looks at everything once; nothing is written. What cannot be read is left with its reason.
// Blocks, for some twenty requests and at most two connections to our Services.
Observation Observe(ApiReader& reader, const Clock& clock, const ObserveOptions& options);

// Namespaces that our webhook leaves out by its namespaceSelector. Pure.
std::vector<std::string> ExcludedNamespaces(const std::vector<nlohmann::json>& webhooks);
// A container of the pod asks for a resource with this prefix. Pure.
bool AsksForPrefix(const nlohmann::json& pod, const std::string& prefix);

}  // namespace aliquot::cli
