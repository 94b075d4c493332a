// SPDX-License-Identifier: Apache-2.0
#include "cli/doctor/secret_data.h"

#include "cli/doctor/api_reader.h"
#include "kubeclient/base64.h"

namespace aliquot::cli {

using nlohmann::json;

std::string SecretText(const json& secret, const std::string& key) {
  const json& data = MemberAt(secret, "/data");
  const auto found = data.find(key);
  if (found == data.end() || !found->is_string()) {
    return {};
  }
  return kubeclient::DecodeBase64(found->get<std::string>()).value_or("");
}

const json* OurWebhooks(const std::vector<json>& configurations,
                        const std::string& namespace_name) {
  for (const json& each : configurations) {
    if (TextAt(each, "/metadata/name") == "aliquot" &&
        TextAt(each, "/webhooks/0/clientConfig/service/namespace") == namespace_name) {
      return &each;
    }
  }
  return nullptr;
}

std::string CaBundle(const json& configuration) {
  return kubeclient::DecodeBase64(TextAt(configuration, "/webhooks/0/clientConfig/caBundle"))
      .value_or("");
}

}  // namespace aliquot::cli
