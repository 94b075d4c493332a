// SPDX-License-Identifier: Apache-2.0
#pragma once

// Members of the objects that hold certificates. Pure.

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace aliquot::cli {

// The decoded value of a Secret's key; "" where there is none.
std::string SecretText(const nlohmann::json& secret, const std::string& key);

// MutatingWebhookConfiguration `aliquot`, or nullptr.
const nlohmann::json* OurWebhooks(const std::vector<nlohmann::json>& configurations,
                                  const std::string& namespace_name);
// The PEM text that the API server trusts for the first webhook; "" where there is none.
std::string CaBundle(const nlohmann::json& configuration);

}  // namespace aliquot::cli
