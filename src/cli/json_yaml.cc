// SPDX-License-Identifier: Apache-2.0
#include "cli/json_yaml.h"

#include "cli/yaml_text.h"

namespace aliquot::cli {

using Json = nlohmann::ordered_json;

std::string ToYaml(const Json& value) { return YamlText(YamlOf(value)); }

std::string ToDocument(const Json& value, const std::string& output) {
  return output == "yaml" ? ToYaml(value)
                          : value.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace aliquot::cli
