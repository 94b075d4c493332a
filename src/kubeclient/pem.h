// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/status.h"

namespace aliquot::kubeclient {

// Checks of PEM texts before they are used, so that a half-written file during a rotation is
// noticed here and not as a refused handshake. Pure; no message quotes the text.

// At least one certificate, and nothing unreadable before it.
Status CheckCertificates(const std::string& pem);
// The key is readable without a passphrase and belongs to the first certificate.
Status CheckKeyPair(const std::string& certificate_pem, const std::string& key_pem);

}  // namespace aliquot::kubeclient
