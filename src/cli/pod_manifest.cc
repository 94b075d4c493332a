// SPDX-License-Identifier: Apache-2.0
#include "cli/pod_manifest.h"

#include <nlohmann/json.hpp>

#include "api/pod_codec.h"
#include "base/strings.h"
#include "cli/yaml_json.h"
#include "program/problems.h"
#include "program/yaml_document.h"

namespace aliquot::cli {
namespace {

// JSON documents go to the codec as they are; YAML first becomes JSON.
Result<std::string> JsonOf(std::string_view text, const std::string& file) {
  if (StartsWith(Trim(text), "{")) {
    return std::string(text);
  }
  program::Problems problems;
  const auto document = program::ParseYaml(text, file, problems);
  if (!document) {
    return InvalidArgument(problems.lines().front());
  }
  return ToJson(*document);
}

Status CheckKind(const std::string& json, const std::string& file) {
  const auto document = nlohmann::json::parse(json, nullptr, /*allow_exceptions=*/false);
  if (!document.is_object()) {
    return InvalidArgument(file + ": this is no object; give the manifest of one Pod");
  }
  const auto kind = document.find("kind");
  if (kind == document.end() || !kind->is_string() || *kind != "Pod") {
    const std::string found =
        kind != document.end() && kind->is_string() ? kind->get<std::string>() : "missing";
    return InvalidArgument(
        file + ": kind is " + Printable(found) +
        "; give the manifest of one Pod, for a workload that of its pod template");
  }
  return Status::Ok();
}

}  // namespace

Result<model::Pod> ParsePodManifest(std::string_view text, const std::string& file,
                                    const model::ResourceNames& names) {
  const auto json = JsonOf(text, file);
  if (!json.ok()) {
    return json.status();
  }
  if (Status status = CheckKind(*json, file); !status.ok()) {
    return status;
  }
  Result<model::Pod> pod = api::ParsePod(*json, names);
  if (!pod.ok()) {
    return pod.status().WithContext(file);
  }
  if (pod->key.namespace_name.empty()) {
    pod->key.namespace_name = "default";
  }
  return pod;
}

}  // namespace aliquot::cli
