// SPDX-License-Identifier: Apache-2.0
#include "api/list_codec.h"

#include "api/disruption_budget_codec.h"
#include "api/list_envelope.h"
#include "api/node_codec.h"
#include "api/pod_codec.h"

namespace aliquot::api {

Result<ListPage<model::Pod>> ParsePodList(std::string_view json,
                                          const model::ResourceNames& names) {
  return ReadList<model::Pod>(json,
                              [&](const JsonElement& item) { return DecodePod(item, names); });
}

Result<ListPage<model::Node>> ParseNodeList(std::string_view json) {
  return ReadList<model::Node>(json, [](const JsonElement& item) { return DecodeNode(item); });
}

Result<ListPage<model::DisruptionBudget>> ParseDisruptionBudgetList(std::string_view json) {
  return ReadList<model::DisruptionBudget>(
      json, [](const JsonElement& item) { return DecodeDisruptionBudget(item); });
}

}  // namespace aliquot::api
