// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "signing/ed25519_key.h"

namespace aliquot::signing {

// The text of a signature: "<key id>:<base64 (RFC 4648, padded) of the 64 bytes>", 105 bytes.
// Exactly one text stands for a signature: blanks, other alphabets and loose bits are refused.
// Pure.

inline constexpr std::size_t kSignatureTextBytes = kKeyIdDigits + 1 + 88;
// What is longer is refused before it is looked at.
inline constexpr std::size_t kMaxSignatureTextBytes = 256;

struct SignatureText {
  std::string key_id;
  SignatureBytes signature{};
};

std::string FormatSignature(const SignatureText& text);
// Nothing for any other form.
std::optional<SignatureText> ParseSignature(std::string_view text);

}  // namespace aliquot::signing
