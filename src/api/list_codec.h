// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "model/disruption_budget.h"
#include "model/names.h"
#include "model/node.h"
#include "model/pod.h"

namespace aliquot::api {

// One page of a list reply of the API server.
// Source: kubernetes.io/docs/reference/using-api/api-concepts, "Retrieving large results sets in
// chunks".
template <typename T>
struct ListPage {
  std::string resource_version;
  std::string continue_token;  // empty on the last page
  std::vector<T> items;
};

// Thread-safe; rules as in pod_codec.h. Nesting is bounded at what the API server itself can store,
// not at 64: a tenant's deep metadata must not blind us to everyone else's pods.
Result<ListPage<model::Pod>> ParsePodList(std::string_view json, const model::ResourceNames& names);
Result<ListPage<model::Node>> ParseNodeList(std::string_view json);
Result<ListPage<model::DisruptionBudget>> ParseDisruptionBudgetList(std::string_view json);

}  // namespace aliquot::api
