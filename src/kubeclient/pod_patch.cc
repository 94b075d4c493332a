// SPDX-License-Identifier: Apache-2.0
#include "kubeclient/pod_patch.h"

#include <nlohmann/json.hpp>

namespace aliquot::kubeclient {

namespace {

using Json = nlohmann::ordered_json;

std::string Dump(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

std::string FormatMetadataPatch(std::string_view uid,
                                const std::map<std::string, std::string>& annotations,
                                const std::map<std::string, std::string>& labels) {
  Json metadata{{"uid", uid}};
  if (!annotations.empty()) metadata["annotations"] = annotations;
  if (!labels.empty()) metadata["labels"] = labels;
  return Dump(Json{{"metadata", metadata}});
}

std::string FormatConditionPatch(std::string_view uid, const model::PodCondition& condition,
                                 SystemTime now) {
  const Json entry{{"type", condition.type},
                   {"status", condition.status ? "True" : "False"},
                   {"lastTransitionTime", FormatMicroTime(now)},
                   {"reason", condition.reason},
                   {"message", condition.message}};
  const Json json{{"metadata", Json{{"uid", uid}}},
                  {"status", Json{{"conditions", Json::array({entry})}}}};
  return Dump(json);
}

}  // namespace aliquot::kubeclient
