// SPDX-License-Identifier: Apache-2.0
#include "api/binding_codec.h"

#include "api/json_writer.h"
#include "api/kubernetes_name.h"
#include "base/strings.h"

namespace aliquot::api {
namespace {

constexpr std::size_t kMaxAnnotationBytes = std::size_t{256} << 10;

}  // namespace

Status CheckAnnotations(const Annotations& annotations) {
  std::size_t bytes = 0;
  for (const auto& [key, value] : annotations) {
    if (!IsQualifiedName(key)) {
      return InvalidArgument("annotation key \"" + Printable(key) +
                             "\" is not a qualified name; use domain/name");
    }
    bytes += key.size() + value.size();
  }
  if (bytes > kMaxAnnotationBytes) {
    return InvalidArgument("the annotations are " + std::to_string(bytes) +
                           " bytes long; keep them within " + std::to_string(kMaxAnnotationBytes));
  }
  return Status::Ok();
}

std::string FormatBinding(const model::PodKey& pod, std::string_view uid, std::string_view node,
                          const Annotations& annotations) {
  std::string out = R"({"apiVersion":"v1","kind":"Binding","metadata":{"name":)";
  AppendJsonString(out, pod.name);
  out += R"(,"namespace":)";
  AppendJsonString(out, pod.namespace_name);
  out += R"(,"uid":)";
  AppendJsonString(out, uid);
  if (!annotations.empty()) {
    out += R"(,"annotations":{)";
    bool first = true;
    for (const auto& [key, value] : annotations) {
      out += first ? "" : ",";
      first = false;
      AppendJsonString(out, key);
      out += ':';
      AppendJsonString(out, value);
    }
    out += '}';
  }
  out += R"(},"target":{"kind":"Node","name":)";
  AppendJsonString(out, node);
  out += "}}";
  return out;
}

}  // namespace aliquot::api
