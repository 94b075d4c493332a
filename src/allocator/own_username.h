// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "kubeclient/config.h"

namespace aliquot::allocator {

// The user name under which the API server knows us, for the webhook that must leave our own
// Bindings alone: the subject of a service account's token (a JWT, RFC 7519), which never changes
// as the token is renewed.
// "" for any other credential. Only spares work: a Binding of ours that is stamped gets the same
// annotations.
std::string OwnUsername(const kubeclient::ClientConfig& config);

// The subject of a token that is a JWT, "" for any other. Its signature is not looked at: nothing
// is granted for the name.
std::string SubjectOfToken(std::string_view token);

}  // namespace aliquot::allocator
