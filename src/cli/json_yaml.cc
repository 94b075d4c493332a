// SPDX-License-Identifier: Apache-2.0
#include "cli/json_yaml.h"

#include <yaml-cpp/yaml.h>

#include <algorithm>

namespace aliquot::cli {
namespace {

using Json = nlohmann::ordered_json;

// Words that need no quotes: they begin with a letter or a slash, hold nothing that YAML reads
// otherwise, and are no word of YAML itself.
bool IsPlain(const std::string& text) {
  static const char* const kWords[] = {"true", "false", "null", "yes", "no", "on", "off", "y", "n"};
  std::string lower = text;
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const bool letter = !lower.empty() && lower[0] >= 'a' && lower[0] <= 'z';
  const bool word = std::any_of(std::begin(kWords), std::end(kWords),
                                [&lower](const char* known) { return lower == known; });
  return letter && !word &&
         lower.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-_./") == std::string::npos;
}

void Emit(YAML::Emitter& out, const Json& value) {
  if (value.is_object()) {
    out << YAML::BeginMap;
    for (const auto& [key, member] : value.items()) {
      out << YAML::Key << key << YAML::Value;
      Emit(out, member);
    }
    out << YAML::EndMap;
  } else if (value.is_array()) {
    if (value.empty()) {
      out << YAML::Flow;
    }
    out << YAML::BeginSeq;
    for (const Json& item : value) {
      Emit(out, item);
    }
    out << YAML::EndSeq;
  } else if (value.is_string()) {
    const auto& text = value.get_ref<const std::string&>();
    if (!IsPlain(text)) {
      out << YAML::DoubleQuoted;
    }
    out << text;
  } else {
    out << value.dump();
  }
}

}  // namespace

std::string ToYaml(const Json& value) {
  YAML::Emitter out;
  Emit(out, value);
  return std::string(out.c_str(), out.size()) + "\n";
}

}  // namespace aliquot::cli
