// SPDX-License-Identifier: Apache-2.0
#include "translate/surroundings.h"

#include "admission/pod_review.h"
#include "translate/schemes.h"

namespace aliquot::translate {

using admission::Member;
using nlohmann::json;

std::vector<std::string> QueueNotes(const json& object) {
  std::vector<std::string> notes;
  for (const char* label : {"kai.scheduler/queue", "runai/queue"}) {
    if (Member(object, {"metadata", "labels", label}) != nullptr) {
      notes.push_back(std::string("label ") + label +
                      " stays and has no effect; Aliquot has no queues, Kueue or a ResourceQuota "
                      "on requests of Aliquot's resources has");
    }
  }
  return notes;
}

std::optional<std::string> NeighbourNote(const json& pod) {
  const json* scheduler = Member(pod, {"spec", "schedulerName"});
  for (const char* name : {kHamiScheduler, kKaiScheduler}) {
    if (scheduler != nullptr && *scheduler == name) {
      return std::string("schedulerName ") + name +
             " stays on a pod that asks for no GPU; remove it before that scheduler goes";
    }
  }
  return std::nullopt;
}

}  // namespace aliquot::translate
