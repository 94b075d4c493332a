// SPDX-License-Identifier: Apache-2.0
#pragma once

// What stands around a pod that is translated, stays as it is, and loses its meaning: a sentence
// for each such thing. Pure; the objects have passed admission::CheckPodShape or are whole
// manifests.

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace aliquot::translate {

// Of the labels of KAI's queues, on a pod or on an object whose pods were translated.
std::vector<std::string> QueueNotes(const nlohmann::json& object);

// Of a pod without GPU beside one that was translated: it waits for another scheme's scheduler.
std::optional<std::string> NeighbourNote(const nlohmann::json& pod);

}  // namespace aliquot::translate
