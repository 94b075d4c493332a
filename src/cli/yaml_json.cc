// SPDX-License-Identifier: Apache-2.0
#include "cli/yaml_json.h"

#include <charconv>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string_view>

namespace aliquot::cli {
namespace {

using Json = nlohmann::ordered_json;

// What JSON does not write that way; discarded for anything else. Source: yaml.org/type, which the
// YAML reader of kubectl (sigs.k8s.io/yaml) follows.
Json Yaml11Json(const std::string& text) {
  static const std::map<std::string_view, Json> words = {
      {"True", true},   {"TRUE", true},    {"yes", true},    {"Yes", true}, {"YES", true},
      {"on", true},     {"On", true},      {"ON", true},     {"y", true},   {"Y", true},
      {"False", false}, {"FALSE", false},  {"no", false},    {"No", false}, {"NO", false},
      {"off", false},   {"Off", false},    {"OFF", false},   {"n", false},  {"N", false},
      {"~", nullptr},   {"Null", nullptr}, {"NULL", nullptr}};
  if (const auto word = words.find(text); word != words.end()) {
    return word->second;
  }
  const bool hex = text.size() > 2 && text[0] == '0' && text[1] == 'x';
  const std::size_t from = hex ? 2 : text.size() > 2 && text[0] == '0' && text[1] == 'o' ? 2 : 1;
  std::int64_t number = 0;
  if (text.size() > from && text[0] == '0') {
    const char* end = text.data() + text.size();
    const auto read = std::from_chars(text.data() + from, end, number, hex ? 16 : 8);
    if (read.ec == std::errc() && read.ptr == end && text[from] != '-') {
      return number;
    }
  }
  return Json(Json::value_t::discarded);
}

Json ScalarJson(const program::YamlValue& value) {
  if (value.plain) {
    if (Json typed = Yaml11Json(value.text); !typed.is_discarded()) {
      return typed;
    }
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
