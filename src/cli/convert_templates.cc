// SPDX-License-Identifier: Apache-2.0
#include "cli/convert_templates.h"

#include "admission/patch.h"
#include "admission/pod_review.h"
#include "base/strings.h"

namespace aliquot::cli {
namespace {

using admission::Member;
using nlohmann::json;

std::string Text(const json* value) {
  return value != nullptr && value->is_string() ? Printable(value->get_ref<const std::string&>())
                                                : "";
}

bool HoldsContainers(const json& value) {
  const json* containers = Member(value, {"spec", "containers"});
  return containers != nullptr && containers->is_array();
}

// `holder`: owner and object of what is found.
void Find(const json& value, const std::string& pointer, const PodPlace& holder,
          std::vector<PodPlace>& places) {
  if (value.is_array()) {
    for (std::size_t i = 0; i < value.size(); ++i) {
      Find(value[i], pointer + "/" + std::to_string(i), holder, places);
    }
    return;
  }
  if (!value.is_object()) {
    return;
  }
  for (const auto& [key, member] : value.items()) {
    const std::string at = admission::Patch::Member(pointer, key);
    if (key == "template" && HoldsContainers(member)) {
      places.push_back({at, holder.owner, holder.object});
    } else {
      Find(member, at, holder, places);
    }
  }
}

void FindInObject(const json& object, const std::string& pointer, std::vector<PodPlace>& places) {
  const std::string kind = Text(Member(object, "kind"));
  const json* items = Member(object, "items");
  if (kind.size() >= 4 && kind.substr(kind.size() - 4) == "List" && items != nullptr &&
      items->is_array()) {
    for (std::size_t i = 0; i < items->size(); ++i) {
      FindInObject((*items)[i], pointer + "/items/" + std::to_string(i), places);
    }
    return;
  }
  const std::string owner = NameOfObject(object);
  if (kind == "Pod") {
    if (HoldsContainers(object)) {
      places.push_back({pointer, owner, pointer});
    }
    return;
  }
  Find(object, pointer, {"", owner, pointer}, places);
}

}  // namespace

std::string NameOfObject(const json& object) {
  const std::string kind = Text(Member(object, "kind"));
  const std::string name = Text(Member(object, {"metadata", "name"}));
  return (kind.empty() ? "object" : kind) + (name.empty() ? "" : " \"" + name + "\"");
}

std::vector<PodPlace> FindPods(const json& document) {
  std::vector<PodPlace> places;
  FindInObject(document, "", places);
  return places;
}

}  // namespace aliquot::cli
