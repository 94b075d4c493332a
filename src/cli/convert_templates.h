// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace aliquot::cli {

// A pod or pod template within a document.
struct PodPlace {
  std::string pointer;  // JSON pointer, "" for the document itself
  std::string owner;    // `Deployment "web"`
  std::string object;   // JSON pointer of the object that holds it; the pod's own for a Pod
};

// Every pod of the document: itself if it is a Pod, what stands below a key `template` and has
// spec.containers, and the same of a List's items. Pre: the document is not nested deeply. Pure.
std::vector<PodPlace> FindPods(const nlohmann::json& document);

// `Deployment "web"`, as far as the object says so.
std::string NameOfObject(const nlohmann::json& object);

}  // namespace aliquot::cli
