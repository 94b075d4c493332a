// SPDX-License-Identifier: Apache-2.0
#include "admission/pod_review.h"

#include "base/strings.h"

namespace aliquot::admission {
namespace {

using nlohmann::json;

Status Wrong(const std::string& path, const char* wanted) {
  return InvalidArgument("the pod: " + path + " is not " + wanted +
                         "; send the Pod as the API server does");
}

Status CheckStringMap(const json* map, const std::string& path) {
  if (map == nullptr) {
    return Status::Ok();
  }
  if (!map->is_object()) {
    return Wrong(path, "an object");
  }
  for (const auto& [key, value] : map->items()) {
    if (!value.is_string()) {
      return Wrong(path + "." + Printable(key), "a string");
    }
  }
  return Status::Ok();
}

Status CheckObjects(const json* list, const std::string& path) {
  if (list == nullptr) {
    return Status::Ok();
  }
  if (!list->is_array()) {
    return Wrong(path, "a list");
  }
  for (std::size_t i = 0; i < list->size(); ++i) {
    if (!(*list)[i].is_object()) {
      return Wrong(path + "[" + std::to_string(i) + "]", "an object");
    }
  }
  return Status::Ok();
}

Status CheckEnv(const json& container, const std::string& path) {
  const json* env = Member(container, "env");
  if (Status status = CheckObjects(env, path + ".env"); !status.ok() || env == nullptr) {
    return status;
  }
  for (std::size_t i = 0; i < env->size(); ++i) {
    const json* name = Member((*env)[i], "name");
    if (name == nullptr || !name->is_string()) {
      return Wrong(path + ".env[" + std::to_string(i) + "].name", "a string");
    }
  }
  return Status::Ok();
}

Status CheckContainers(const json& spec, const std::string& field) {
  const json* list = Member(spec, field);
  if (Status status = CheckObjects(list, "spec." + field); !status.ok() || list == nullptr) {
    return status;
  }
  for (std::size_t i = 0; i < list->size(); ++i) {
    const std::string path = "spec." + field + "[" + std::to_string(i) + "]";
    const json* name = Member((*list)[i], "name");
    if (name == nullptr || !name->is_string()) {
      return Wrong(path + ".name", "a string");
    }
    if (Status status = CheckEnv((*list)[i], path); !status.ok()) {
      return status;
    }
  }
  return Status::Ok();
}

}  // namespace

const json* Member(const json& value, std::string_view key) {
  if (!value.is_object()) {
    return nullptr;
  }
  const auto found = value.find(key);
  return found == value.end() || found->is_null() ? nullptr : &*found;
}

const json* Member(const json& value, std::initializer_list<std::string_view> keys) {
  const json* at = &value;
  for (const std::string_view key : keys) {
    at = Member(*at, key);
    if (at == nullptr) {
      return nullptr;
    }
  }
  return at;
}

std::vector<ContainerList> ContainerLists(const json& pod) {
  std::vector<ContainerList> lists;
  for (const char* field : {"initContainers", "containers"}) {
    if (const json* containers = Member(pod, {"spec", field})) {
      lists.push_back({containers, std::string("/spec/") + field});
    }
  }
  return lists;
}

std::string ContainerLabel(const json& container) {
  return "container \"" + Printable(container["name"].get_ref<const std::string&>()) + "\"";
}

Status CheckPodShape(const json& pod) {
  const json* metadata = Member(pod, "metadata");
  const json* spec = Member(pod, "spec");
  if (metadata == nullptr || !metadata->is_object()) {
    return Wrong("metadata", "an object");
  }
  if (spec == nullptr || !spec->is_object()) {
    return Wrong("spec", "an object");
  }
  for (const char* map : {"labels", "annotations"}) {
    if (Status status = CheckStringMap(Member(*metadata, map), std::string("metadata.") + map);
        !status.ok()) {
      return status;
    }
  }
  for (const char* list : {"initContainers", "containers"}) {
    if (Status status = CheckContainers(*spec, list); !status.ok()) {
      return status;
    }
  }
  for (const char* list : {"tolerations", "volumes", "ephemeralContainers"}) {
    if (Status status = CheckObjects(Member(*spec, list), std::string("spec.") + list);
        !status.ok()) {
      return status;
    }
  }
  return Status::Ok();
}

}  // namespace aliquot::admission
