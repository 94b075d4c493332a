// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "base/status.h"
#include "model/node.h"

namespace simdjson::dom {
class element;
}

namespace aliquot::api {

// Reads what Aliquot needs of a v1 Node; rules as in pod_codec.h. A node whose inventory annotation
// is missing or unreadable is still a node: `inventory` is null and `inventory_problem` says why.
Result<model::Node> ParseNode(std::string_view json);
Result<model::Node> DecodeNode(const simdjson::dom::element& value);

}  // namespace aliquot::api
