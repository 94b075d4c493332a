// SPDX-License-Identifier: Apache-2.0
#include "tests/support/fake_kubelet_checkpoint.h"

#include <absl/strings/escaping.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

namespace aliquot::test {
namespace {

using Json = nlohmann::ordered_json;

std::uint64_t Fnv1a32(const std::string& text) {
  std::uint32_t hash = 2166136261U;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
  return hash;
}

}  // namespace

std::string CheckpointText(const FakeKubeletCheckpoint& checkpoint) {
  Json entries = Json::array();
  for (const auto& [key, allocation] : checkpoint.allocations) {
    const auto& [uid, container, resource] = key;
    entries.push_back({{"PodUID", uid},
                       {"ContainerName", container},
                       {"ResourceName", resource},
                       {"DeviceIDs", {{"-1", allocation.device_ids}}},
                       {"AllocResp", absl::Base64Escape(allocation.answer)}});
  }
  Json registered = Json::object();
  for (const auto& [resource, ids] : checkpoint.registered_devices) registered[resource] = ids;
  Json data;
  // Go writes a nil slice as null.
  data["PodDeviceEntries"] = entries.empty() ? Json() : std::move(entries);
  data["RegisteredDevices"] = std::move(registered);
  const std::uint64_t checksum = Fnv1a32(data.dump());
  Json document;
  document["Data"] = std::move(data);
  document["Checksum"] = checksum;
  return document.dump();
}

FakeKubeletCheckpoint ParseCheckpoint(const std::string& text) {
  FakeKubeletCheckpoint checkpoint;
  try {
    const Json document = Json::parse(text);
    const Json& data = document.at("Data");
    for (const Json& entry : data.at("PodDeviceEntries")) {
      FakeKubeletAllocation& allocation = checkpoint.allocations[{
          entry.at("PodUID"), entry.at("ContainerName"), entry.at("ResourceName")}];
      for (const Json& ids : entry.at("DeviceIDs")) {
        for (const Json& id : ids) allocation.device_ids.push_back(id);
      }
      absl::Base64Unescape(entry.at("AllocResp").get<std::string>(), &allocation.answer);
    }
    for (const auto& [resource, ids] : data.at("RegisteredDevices").items()) {
      checkpoint.registered_devices[resource] = ids.get<std::set<std::string>>();
    }
  } catch (const Json::exception&) {
    return {};
  }
  return checkpoint;
}

void WriteCheckpoint(const std::string& path, const FakeKubeletCheckpoint& checkpoint) {
  const std::string aside = path + ".new";
  std::ofstream(aside) << CheckpointText(checkpoint);
  std::filesystem::rename(aside, path);
}

FakeKubeletCheckpoint ReadCheckpoint(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return ParseCheckpoint(text.str());
}

}  // namespace aliquot::test
