// SPDX-License-Identifier: Apache-2.0
#include "kubeclient/api_path.h"

namespace aliquot::kubeclient {

std::string_view HttpMethod(const ApiVerb& verb) {
  if (verb.verb == "create") return "POST";
  if (verb.verb == "patch") return "PATCH";
  return "GET";  // get, list, watch
}

std::string PercentEncode(std::string_view text) {
  static constexpr char kHex[] = "0123456789ABCDEF";
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    const bool unreserved = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                            (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_' || c == '~';
    if (unreserved) {
      out.push_back(c);
    } else {
      const auto byte = static_cast<unsigned char>(c);
      out.push_back('%');
      out.push_back(kHex[byte >> 4]);
      out.push_back(kHex[byte & 15]);
    }
  }
  return out;
}

std::string RequestTarget(const ApiRequest& request) {
  const ApiVerb& verb = request.verb;
  std::string out = verb.group.empty() ? "/api/v1" : "/apis/" + std::string(verb.group) + "/v1";
  if (!request.namespace_name.empty()) {
    out.append("/namespaces/").append(PercentEncode(request.namespace_name));
  }
  out.append("/").append(verb.resource);
  if (!request.name.empty()) out.append("/").append(PercentEncode(request.name));
  if (!verb.subresource.empty()) out.append("/").append(verb.subresource);
  out.append(request.subpath);
  if (!request.query.empty()) out.append("?").append(request.query);
  return out;
}

}  // namespace aliquot::kubeclient
