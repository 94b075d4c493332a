// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "kubeclient/transport.h"

// URLs of the Kubernetes API (kubernetes.io/docs/reference/using-api/api-concepts). Pure.

namespace aliquot::kubeclient {

// "GET", "POST" or "PATCH".
std::string_view HttpMethod(const ApiVerb& verb);
// "/api/v1/namespaces/ns/pods/name/binding?timeout=4s". Names are percent-encoded.
std::string RequestTarget(const ApiRequest& request);
// RFC 3986: all but unreserved characters as %XX.
std::string PercentEncode(std::string_view text);

}  // namespace aliquot::kubeclient
