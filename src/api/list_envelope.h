// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "api/json_document.h"
#include "api/json_reader.h"
#include "api/list_codec.h"
#include "base/status.h"

namespace aliquot::api {

// What all lists have around their items; for codecs of an object's own kind. `decode` is called
// with each item and gives a Result<T>. Rules as in list_codec.h.
template <typename T, typename Decode>
Result<ListPage<T>> ReadList(std::string_view json, Decode decode) {
  JsonDocument document;
  const auto root = document.Parse(json, kMaxApiServerDepth);
  if (!root.ok()) {
    return InvalidArgument("the list " + root.status().message());
  }
  JsonReader reader("the list");
  const JsonPath here;
  ListPage<T> page;
  const auto [metadata, items] = reader.Object<2>(*root, here, {"metadata", "items"});
  const JsonPath metadata_at = here.Field("metadata");
  const auto [version, token] =
      reader.Object<2>(metadata, metadata_at, {"resourceVersion", "continue"});
  reader.Text(version, metadata_at.Field("resourceVersion"), page.resource_version);
  reader.Text(token, metadata_at.Field("continue"), page.continue_token);
  if (page.resource_version.empty()) {
    // A list without a version is no list to start a watch from: a proxy's error page, say.
    reader.Refuse(metadata_at.Field("resourceVersion"),
                  "is missing; expected a list of the API server");
  }
  Status problem;
  reader.ForEachItem(items, here.Field("items"), [&](const JsonElement& item, const JsonPath& at) {
    Result<T> object = decode(item);
    if (object.ok()) {
      page.items.push_back(*std::move(object));
    } else if (problem.ok()) {
      problem = object.status().WithContext(at.ToString());
    }
  });
  if (!reader.ok()) {
    return reader.status();
  }
  if (!problem.ok()) {
    return problem.WithContext("the list");
  }
  return page;
}

}  // namespace aliquot::api
