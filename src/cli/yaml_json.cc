// SPDX-License-Identifier: Apache-2.0
#include "cli/yaml_json.h"

#include <nlohmann/json.hpp>

namespace aliquot::cli {
namespace {

using Json = nlohmann::ordered_json;

Json ScalarJson(const program::YamlValue& value) {
  if (value.plain) {
    Json typed = Json::parse(value.text, nullptr, /*allow_exceptions=*/false);
    if (typed.is_number() || typed.is_boolean() || typed.is_null()) {
      return typed;
    }
  }
  return value.text;
}

// The depth is the document's, which is bounded.
Json JsonOf(const program::YamlValue& value) {
  switch (value.kind) {
    case program::YamlValue::Kind::kScalar:
      return ScalarJson(value);
    case program::YamlValue::Kind::kList: {
      Json list = Json::array();
      for (const program::YamlValue& item : value.items) {
        list.push_back(JsonOf(item));
      }
      return list;
    }
    case program::YamlValue::Kind::kMap: {
      Json map = Json::object();
      for (std::size_t i = 0; i < value.keys.size(); ++i) {
        map[value.keys[i]] = JsonOf(value.items[i]);
      }
      return map;
    }
    case program::YamlValue::Kind::kNull:
      break;
  }
  return nullptr;
}

}  // namespace

std::string ToJson(const program::YamlValue& value) {
  return JsonOf(value).dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace aliquot::cli
