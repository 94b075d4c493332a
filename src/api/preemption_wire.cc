// SPDX-License-Identifier: Apache-2.0
#include "api/preemption_wire.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "api/extender_args.h"
#include "api/json_buffer.h"
#include "api/json_document.h"
#include "api/json_reader.h"
#include "api/pod_codec.h"

namespace aliquot::api {
namespace {

constexpr std::string_view kSubject = "the request body";

// The UID of a victim: at the top of a MetaPod, in the metadata of a whole Pod.
void ReadUid(JsonReader& reader, const JsonElement& pod, const JsonPath& path, bool meta,
             std::string_view& uid) {
  JsonPath at = path.Field("UID");
  const JsonPath metadata_at = path.Field("metadata");
  JsonField field;
  if (meta) {
    field = reader.Object<1>(pod, path, {"UID"}, JsonReader::Case::kAnyCase)[0];
  } else {
    const auto [metadata] = reader.Object<1>(pod, path, {"metadata"});
    field = reader.Object<1>(metadata, metadata_at, {"uid"})[0];
    at = metadata_at.Field("uid");
  }
  reader.View(field, at, uid);
  if (uid.empty()) {
    reader.Refuse(at, "is missing; name each victim by its UID");
  }
}

void ReadNode(JsonReader& reader, const JsonElement& victims, const JsonPath& path, bool meta,
              NodeVictims& node) {
  const auto [list, violations] =
      reader.Object<2>(victims, path, {"Pods", "NumPDBViolations"}, JsonReader::Case::kAnyCase);
  reader.ForEachItem(list, path.Field("Pods"), [&](const JsonElement& pod, const JsonPath& at) {
    ReadUid(reader, pod, at, meta, node.uids.emplace_back());
  });
  reader.Integer(violations, path.Field("NumPDBViolations"), 0,
                 std::numeric_limits<std::int32_t>::max(), node.pdb_violations);
}

// Sorts by node; of a repeated key the last holds.
void KeepLastOfEach(std::vector<NodeVictims>& nodes) {
  std::stable_sort(nodes.begin(), nodes.end(),
                   [](const NodeVictims& a, const NodeVictims& b) { return a.node < b.node; });
  std::vector<NodeVictims> kept;
  kept.reserve(nodes.size());
  for (NodeVictims& node : nodes) {
    if (!kept.empty() && kept.back().node == node.node) {
      kept.back() = std::move(node);
    } else {
      kept.push_back(std::move(node));
    }
  }
  nodes = std::move(kept);
}

void ReadNodes(JsonReader& reader, const JsonField& map, const JsonPath& path, bool meta,
               PreemptionArgs& args) {
  reader.ForEachMember(map, path,
                       [&](std::string_view name, const JsonElement& victims, const JsonPath& at) {
                         if (args.nodes.size() == kMaxCandidates) {
                           reader.Refuse(path, "names more than " + std::to_string(kMaxCandidates) +
                                                   " nodes; send at most that many candidates");
                           return;
                         }
                         args.nodes.emplace_back().node = name;
                         ReadNode(reader, victims, at, meta, args.nodes.back());
                       });
  KeepLastOfEach(args.nodes);
}

}  // namespace

PreemptionArgs::PreemptionArgs() = default;
PreemptionArgs::~PreemptionArgs() = default;
PreemptionArgs::PreemptionArgs(PreemptionArgs&&) noexcept = default;
PreemptionArgs& PreemptionArgs::operator=(PreemptionArgs&&) noexcept = default;

Result<PreemptionArgs> ParsePreemptionArgs(std::string_view body,
                                           const model::ResourceNames& names) {
  PreemptionArgs args;
  args.storage = std::make_unique<JsonDocument>();
  const auto root = args.storage->Parse(body, kMaxRequestDepth);
  if (!root.ok()) {
    return InvalidArgument(std::string(kSubject) + " " + root.status().message());
  }
  JsonReader reader(kSubject);
  const JsonPath here;
  const auto [pod, meta_victims, victims] =
      reader.Object<3>(*root, here, {"Pod", "NodeNameToMetaVictims", "NodeNameToVictims"},
                       JsonReader::Case::kAnyCase);
  if (!reader.ok()) {
    return reader.status();
  }
  if (!pod) {
    return InvalidArgument(std::string(kSubject) + ": Pod is missing; send the pod to place");
  }
  if (!meta_victims && !victims) {
    return InvalidArgument(std::string(kSubject) +
                           ": NodeNameToMetaVictims and NodeNameToVictims are both missing; send "
                           "the candidates");
  }
  Result<model::Pod> decoded = DecodePod(*pod, names);
  if (!decoded.ok()) {
    return decoded.status().WithContext(kSubject);
  }
  args.pod = *std::move(decoded);
  if (Status status = CheckPodNames(args.pod); !status.ok()) {
    return status.WithContext(kSubject);
  }
  const bool meta = meta_victims.has_value();
  ReadNodes(reader, meta ? meta_victims : victims,
            here.Field(meta ? "NodeNameToMetaVictims" : "NodeNameToVictims"), meta, args);
  if (!reader.ok()) {
    return reader.status();
  }
  return args;
}

void WritePreemptionResult(std::string& out, const std::vector<NodeVictims>& nodes) {
  std::size_t size = 32;
  for (const NodeVictims& node : nodes) {
    constexpr std::size_t kBesideName = 48;
    constexpr std::size_t kPerUid = 48;  // 36 characters and what stands around them
    size += node.node.size() + kBesideName + kPerUid * node.uids.size();
  }
  JsonBuffer buffer(out, size);
  buffer.Raw(R"({"NodeNameToMetaVictims":{)");
  bool first_node = true;
  for (const NodeVictims& node : nodes) {
    buffer.Raw(first_node ? "" : ",");
    first_node = false;
    buffer.String(node.node);
    buffer.Raw(R"(:{"Pods":[)");
    bool first = true;
    for (const std::string_view uid : node.uids) {
      buffer.Raw(first ? R"({"UID":)" : R"(,{"UID":)");
      first = false;
      buffer.String(uid);
      buffer.Raw("}");
    }
    buffer.Raw(R"(],"NumPDBViolations":)");
    buffer.Integer(static_cast<int>(node.pdb_violations));
    buffer.Raw("}");
  }
  buffer.Raw("}}");
  buffer.Finish();
}

}  // namespace aliquot::api
