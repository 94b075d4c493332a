// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace aliquot::kubeclient {

// RFC 4648 with padding, as kubeconfig's *-data fields hold it; line breaks are skipped. Nothing
// for anything else. Pure.
std::optional<std::string> DecodeBase64(std::string_view text);
// The same alphabet, with padding, on one line.
std::string EncodeBase64(std::string_view bytes);

}  // namespace aliquot::kubeclient
