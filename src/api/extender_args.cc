// SPDX-License-Identifier: Apache-2.0
#include "api/extender_args.h"

#include <strings.h>

#include <utility>

#include "api/json_document.h"
#include "api/json_reader.h"
#include "api/kubernetes_name.h"
#include "api/pod_codec.h"
#include "base/strings.h"

namespace aliquot::api {
namespace {

bool SameKey(std::string_view a, std::string_view b) {
  return a.size() == b.size() && strncasecmp(a.data(), b.data(), a.size()) == 0;
}

// A candidate more than that is refused. False once there is one.
bool BelowLimit(JsonReader& reader, const JsonPath& list, const ExtenderArgs& args) {
  if (args.node_names.size() < kMaxCandidates) {
    return true;
  }
  reader.Refuse(list, "lists more than " + std::to_string(kMaxCandidates) +
                          " nodes; send at most that many candidates");
  return false;
}

void ReadNames(JsonReader& reader, const JsonField& list, const JsonPath& path,
               ExtenderArgs& args) {
  args.has_node_names = list.has_value();
  reader.ForEachItem(list, path, [&](const JsonElement& item, const JsonPath& at) {
    if (BelowLimit(reader, path, args)) {
      reader.View(item, at, args.node_names.emplace_back());
    }
  });
}

void ReadNamesOfNodes(JsonReader& reader, const JsonField& list, const JsonPath& path,
                      ExtenderArgs& args) {
  reader.ForEachItem(list, path, [&](const JsonElement& item, const JsonPath& at) {
    if (!BelowLimit(reader, path, args)) {
      return;
    }
    const JsonPath metadata_at = at.Field("metadata");
    const auto [metadata] = reader.Object<1>(item, at, {"metadata"});
    const auto [name] = reader.Object<1>(metadata, metadata_at, {"name"});
    std::string_view& text = args.node_names.emplace_back();
    reader.View(name, metadata_at.Field("name"), text);
    if (text.empty()) {
      reader.Refuse(metadata_at.Field("name"), "is missing; name each node");
    }
  });
}

// The tape of a JsonDocument knows no positions, so the JSON text of each Node is found by walking
// the text a second time, on demand. It has passed the full check by then, so both walks see the
// same items.
namespace raw {

using simdjson::SUCCESS;
using simdjson::ondemand::json_type;

simdjson::error_code ReadList(simdjson::ondemand::value value,
                              std::vector<std::string_view>& items) {
  simdjson::ondemand::array list;
  SIMDJSON_TRY(value.get_array().get(list));
  for (auto item : list) {
    simdjson::ondemand::object object;
    SIMDJSON_TRY(item.get_object().get(object));
    SIMDJSON_TRY(object.raw_json().get(items.emplace_back()));
  }
  return SUCCESS;
}

// Calls f(value) for each field of that name that has a value of that type, and `reset` before each
// field of that name whatever its type: of a repeated key the last one holds.
template <typename Reset, typename F>
simdjson::error_code ForEachField(simdjson::ondemand::object object, std::string_view name,
                                  json_type wanted, Reset reset, F f) {
  for (auto field : object) {
    std::string_view key;
    SIMDJSON_TRY(field.unescaped_key().get(key));
    if (!SameKey(key, name)) {
      continue;
    }
    reset();
    simdjson::ondemand::value value;
    json_type type{};
    SIMDJSON_TRY(field.value().get(value));
    SIMDJSON_TRY(value.type().get(type));
    if (type == wanted) {
      SIMDJSON_TRY(f(value));
    }
  }
  return SUCCESS;
}

simdjson::error_code ReadItems(std::string_view json, std::vector<std::string_view>& items) {
  simdjson::ondemand::parser parser;
  simdjson::ondemand::document document;
  const simdjson::padded_string_view padded(json, json.size() + simdjson::SIMDJSON_PADDING);
  SIMDJSON_TRY(parser.iterate(padded).get(document));
  simdjson::ondemand::object root;
  SIMDJSON_TRY(document.get_object().get(root));
  const auto reset = [&] { items.clear(); };
  return ForEachField(
      root, "Nodes", json_type::object, reset, [&](simdjson::ondemand::value nodes) {
        simdjson::ondemand::object object;
        SIMDJSON_TRY(nodes.get_object().get(object));
        return ForEachField(object, "items", json_type::array, reset,
                            [&](simdjson::ondemand::value list) { return ReadList(list, items); });
      });
}

}  // namespace raw

Status ReadNodes(JsonReader& reader, const JsonField& nodes, const JsonPath& path,
                 ExtenderArgs& args) {
  args.has_nodes = true;
  const auto [items] = reader.Object<1>(nodes, path, {"items"}, JsonReader::Case::kAnyCase);
  ReadNamesOfNodes(reader, items, path.Field("items"), args);
  if (!reader.ok()) {
    return reader.status();
  }
  const auto error = raw::ReadItems(args.storage->text(), args.node_items);
  if (error || args.node_items.size() != args.node_names.size()) {
    return Internal(std::string("the request body: Nodes.items could not be split: ") +
                    simdjson::error_message(error));
  }
  return Status::Ok();
}

}  // namespace

Status CheckPodNames(const model::Pod& pod) {
  struct Named {
    std::string_view path;
    std::string_view value;
    bool (*valid)(std::string_view);
  };
  std::vector<Named> all = {{"metadata.name", pod.key.name, IsDnsSubdomain},
                            {"metadata.namespace", pod.key.namespace_name, IsDnsLabel},
                            {"metadata.uid", pod.uid, IsUid}};
  for (const model::GpuContainer& container : pod.gpu_containers) {
    all.push_back({"the name of a container", container.name, IsDnsLabel});
  }
  for (const Named& each : all) {
    if (!each.value.empty() && !each.valid(each.value)) {
      return InvalidArgument("the pod: " + std::string(each.path) + " is \"" +
                             Printable(each.value) + "\"; send the pod as the API server has it");
    }
  }
  return Status::Ok();
}

ExtenderArgs::ExtenderArgs() = default;
ExtenderArgs::~ExtenderArgs() = default;
ExtenderArgs::ExtenderArgs(ExtenderArgs&&) noexcept = default;
ExtenderArgs& ExtenderArgs::operator=(ExtenderArgs&&) noexcept = default;

Result<ExtenderArgs> ParseExtenderArgs(std::string_view body, const model::ResourceNames& names) {
  constexpr std::string_view kSubject = "the request body";
  ExtenderArgs args;
  args.storage = std::make_unique<JsonDocument>();
  const auto root = args.storage->Parse(body, kMaxRequestDepth);
  if (!root.ok()) {
    return InvalidArgument(std::string(kSubject) + " " + root.status().message());
  }
  JsonReader reader(kSubject);
  const JsonPath here;
  const auto [pod, nodes, node_names] =
      reader.Object<3>(*root, here, {"Pod", "Nodes", "NodeNames"}, JsonReader::Case::kAnyCase);
  if (!reader.ok()) {
    return reader.status();
  }
  if (!pod) {
    return InvalidArgument(std::string(kSubject) + ": Pod is missing; send the pod to place");
  }
  if (!nodes && !node_names) {
    return InvalidArgument(std::string(kSubject) +
                           ": NodeNames and Nodes are both missing; send the candidates");
  }
  Result<model::Pod> decoded = DecodePod(*pod, names);
  if (!decoded.ok()) {
    return decoded.status().WithContext(kSubject);
  }
  args.pod = *std::move(decoded);
  if (Status status = CheckPodNames(args.pod); !status.ok()) {
    return status.WithContext(kSubject);
  }
  if (node_names) {
    ReadNames(reader, node_names, here.Field("NodeNames"), args);
    if (!reader.ok()) {
      return reader.status();
    }
  } else if (Status status = ReadNodes(reader, nodes, here.Field("Nodes"), args); !status.ok()) {
    return status;
  }
  return args;
}

}  // namespace aliquot::api
