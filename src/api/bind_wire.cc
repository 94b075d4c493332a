// SPDX-License-Identifier: Apache-2.0
#include "api/bind_wire.h"

#include "api/json_document.h"
#include "api/json_reader.h"
#include "api/json_writer.h"
#include "api/kubernetes_name.h"
#include "base/strings.h"

namespace aliquot::api {
namespace {

void ReadName(JsonReader& reader, const JsonField& field, const JsonPath& path,
              bool (*valid)(std::string_view), std::string& value) {
  if (!field) {
    reader.Refuse(path, "is missing; send PodName, PodNamespace, PodUID and Node");
  }
  reader.Text(field, path, value);
  if (!valid(value)) {
    reader.Refuse(path, "is \"" + Printable(value) + "\"; send a valid Kubernetes name");
  }
}

}  // namespace

Result<BindArgs> ParseBindArgs(std::string_view body) {
  constexpr std::string_view kSubject = "the request body";
  JsonDocument document;
  const auto root = document.Parse(body, kMaxRequestDepth);
  if (!root.ok()) {
    return InvalidArgument(std::string(kSubject) + " " + root.status().message());
  }
  JsonReader reader(kSubject);
  const JsonPath here;
  const auto [name, space, uid, node] = reader.Object<4>(
      *root, here, {"PodName", "PodNamespace", "PodUID", "Node"}, JsonReader::Case::kAnyCase);
  BindArgs args;
  ReadName(reader, name, here.Field("PodName"), IsDnsSubdomain, args.pod.name);
  ReadName(reader, space, here.Field("PodNamespace"), IsDnsLabel, args.pod.namespace_name);
  ReadName(reader, uid, here.Field("PodUID"), IsUid, args.uid);
  ReadName(reader, node, here.Field("Node"), IsDnsSubdomain, args.node);
  if (!reader.ok()) {
    return reader.status();
  }
  return args;
}

void WriteBindResult(std::string& out, std::string_view error) {
  out += R"({"Error":)";
  AppendJsonString(out, error);
  out += '}';
}

}  // namespace aliquot::api
